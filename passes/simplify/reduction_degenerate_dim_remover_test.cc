#include "passes/simplify/reduction_degenerate_dim_remover.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReductionDegenerateDimRemoverTest, ReducesWithoutDimensionsOfOne) {
  auto module = TransformedBy<ReductionDegenerateDimRemover>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[1,8,1,4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[8,1] reduce(x, z), dimensions={0,3}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape constant reduce reshape");
}

TEST(ReductionDegenerateDimRemoverTest, KeepsTheInitialValue) {
  ExpectUnchangedBy<ReductionDegenerateDimRemover>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[1,8] parameter(0)
  five = f32[] constant(5)
  ROOT r = f32[8] reduce(x, five), dimensions={0}, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
