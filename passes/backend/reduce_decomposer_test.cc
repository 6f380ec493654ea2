#include "passes/backend/reduce_decomposer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReduceDecomposerTest, LayoutsChangeInCopies) {
  auto module = TransformedBy<ReduceDecomposer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2,8,4]{2,1,0} parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[2,4]{0,1} reduce(x, z), dimensions={1}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter constant reduce copy");
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().ToString(),
            "f32[2,4]{1,0}");
}

TEST(ReduceDecomposerTest, LeavesReductionsThatKeepTheOrder) {
  ExpectUnchangedBy<ReduceDecomposer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2,8,4]{0,1,2} parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[2,4]{0,1} reduce(x, z), dimensions={1}, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
