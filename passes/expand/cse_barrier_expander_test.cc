#include "passes/expand/cse_barrier_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(CseBarrierExpanderTest, RemovesBarriersOfArraysAndTuples) {
  auto module = TransformedBy<CseBarrierExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] opt-barrier(p)
  t = (f32[4], f32[4]) tuple(p, a)
  b = (f32[4], f32[4]) opt-barrier(t)
  x = f32[4] get-tuple-element(b), index=0
  ROOT r = f32[4] add(x, a)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kOptBarrier), 0);
}

TEST(CseBarrierExpanderTest, LeavesOtherIdentitiesAlone) {
  ExpectUnchangedBy<CseBarrierExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] copy(p)
})");
}

}  // namespace
}  // namespace hlokit
