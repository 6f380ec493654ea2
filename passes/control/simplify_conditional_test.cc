#include "passes/control/simplify_conditional.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Text(const char* predicate, const char* second = "g",
                 const char* f = "sort(x), dimensions={0}, to_apply=less") {
  return absl::StrReplaceAll(R"(
HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
f { x = f32[4] parameter(0) ROOT n = f32[4] F }
g { x = f32[4] parameter(0) ROOT n = f32[4] cosine(x) }
ENTRY e {
  x = f32[4] parameter(0)
  q = pred[] parameter(1)
  p = PRED
  ROOT r = f32[4] conditional(p, x, x), branch_computations={f, SECOND}
})",
                             {{"PRED", predicate}, {"SECOND", second},
                              {" F ", std::string(" ") + f + " "}});
}

TEST(SimplifyConditionalTest, TakesTheBranchOfAConstant) {
  auto module =
      TransformedBy<SimplifyConditional>(Text("s32[] constant(7)"));
  EXPECT_EQ(CountOf(*module, Opcode::kCosine), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kConditional), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 0);
  module = TransformedBy<SimplifyConditional>(Text("s32[] constant(0)"));
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 1);
}

TEST(SimplifyConditionalTest, EqualBranchesAreOne) {
  auto module =
      TransformedBy<SimplifyConditional>(Text("s32[] convert(q)", "f"));
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kConditional), 0);
}

TEST(SimplifyConditionalTest, BranchesThatDoLittleBecomeASelect) {
  auto module = TransformedBy<SimplifyConditional>(
      Text("s32[] convert(q)", "g", "negate(x)"));
  EXPECT_EQ(CountOf(*module, Opcode::kSelect), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kConditional), 0);
}

TEST(SimplifyConditionalTest, LeavesBranchesThatDoMuch) {
  ExpectUnchangedBy<SimplifyConditional>(Text("s32[] convert(q)"));
}

TEST(SimplifyConditionalTest, DropsElementsThatNobodyUses) {
  auto module = TransformedBy<SimplifyConditional>(R"(
HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
f { x = f32[4] parameter(0) s = f32[4] sort(x), dimensions={0}, to_apply=less n = f32[4] negate(s) ROOT t = (f32[4], f32[4]) tuple(x, n) }
g { x = f32[4] parameter(0) s = f32[4] sort(x), dimensions={0}, to_apply=less n = f32[4] sine(s) ROOT t = (f32[4], f32[4]) tuple(x, n) }
ENTRY e {
  x = f32[4] parameter(0)
  p = pred[] parameter(1)
  c = (f32[4], f32[4]) conditional(p, x, x), true_computation=f, false_computation=g
  ROOT r = f32[4] get-tuple-element(c), index=1
})");
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().ToString(),
            "(f32[4]{0})");
}

}  // namespace
}  // namespace hlokit
