#include "passes/control/conditional_to_select.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConditionalToSelectTest, InsideAMapBothBranchesRun) {
  auto module = TransformedBy<ConditionalToSelect>(R"(
HloModule m
f { x = f32[] parameter(0) ROOT n = f32[] negate(x) }
g { x = f32[] parameter(0) ROOT n = f32[] sine(x) }
h { x = f32[] parameter(0) ROOT n = f32[] cosine(x) }
mapped {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  ROOT c = f32[] conditional(i, x, x, x), branch_computations={f, g, h}
}
ENTRY e {
  i = s32[4] parameter(0)
  x = f32[4] parameter(1)
  ROOT m = f32[4] map(i, x), dimensions={0}, to_apply=mapped
})");
  EXPECT_EQ(CountOf(*module, Opcode::kConditional), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSelect), 2);
}

TEST(ConditionalToSelectTest, LeavesConditionalsWhereTheyAreAllowed) {
  ExpectUnchangedBy<ConditionalToSelect>(R"(
HloModule m
f { x = f32[] parameter(0) ROOT n = f32[] negate(x) }
g { x = f32[] parameter(0) ROOT n = f32[] sine(x) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  ROOT c = f32[] conditional(p, x, x), true_computation=f, false_computation=g
})");
}

}  // namespace
}  // namespace hlokit
