#include "passes/simplify/tree_reduction_rewriter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(TreeReductionTest, SumsInTwoSteps) {
  auto module = TransformedBy<TreeReductionRewriter>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[3,100] parameter(0)
  z = f32[] constant(0)
  ROOT s = f32[3] reduce(x, z), dimensions={1}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter constant reduce-window reduce");
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().ToString(false),
            "f32[3,4]");
}

TEST(TreeReductionTest, ExtremesAndTruthValuesToo) {
  auto module = TransformedBy<TreeReductionRewriter>(R"(
HloModule m
max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }
or { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] or(a, b) }
ENTRY e {
  x = s32[33] parameter(0)
  y = pred[64] parameter(1)
  z = s32[] constant(-2147483648)
  f = pred[] constant(false)
  a = s32[] reduce(x, z), dimensions={0}, to_apply=max
  b = pred[] reduce(y, f), dimensions={0}, to_apply=or
  ROOT t = (s32[], pred[]) tuple(a, b)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kReduceWindow), 2);
}

TEST(TreeReductionTest, LeavesReducersOfAnotherTypeAlone) {
  ExpectUnchangedBy<TreeReductionRewriter>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f16[3,100] parameter(0)
  z = f16[] constant(0)
  ROOT s = f16[3] reduce(x, z), dimensions={1}, to_apply=add
})");
}

TEST(TreeReductionTest, LeavesShortOnesAndStartsThatCount) {
  ExpectUnchangedBy<TreeReductionRewriter>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY e {
  x = f32[3,100] parameter(0)
  z = f32[] constant(0)
  k = f32[] constant(1)
  a = f32[100] reduce(x, z), dimensions={0}, to_apply=add
  b = f32[3] reduce(x, k), dimensions={1}, to_apply=add
  c = f32[3] reduce(x, z), dimensions={1}, to_apply=max
  ROOT t = (f32[100], f32[3], f32[3]) tuple(a, b, c)
})");
}

}  // namespace
}  // namespace hlokit
