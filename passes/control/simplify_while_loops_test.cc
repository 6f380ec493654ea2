#include "passes/control/simplify_while_loops.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// A loop over (counter, sum, weight, unused).
std::string Loop(const char* bound, const char* result,
                 const char* term = "w") {
  return absl::StrReplaceAll(R"(
HloModule m
body {
  p = (s32[], f32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  w = f32[] get-tuple-element(p), index=2
  u = f32[] get-tuple-element(p), index=3
  limit = s32[] constant(100)
  inside = pred[] compare(i, limit), direction=LT
  chosen = f32[] select(inside, w, x)
  y = f32[] add(x, TERM)
  v = f32[] sine(u)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[], f32[], f32[]) tuple(n, y, w, v)
}
cond {
  p = (s32[], f32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(BOUND)
  ROOT r = pred[] compare(i, c), direction=LT
}
ENTRY e {
  z = s32[] constant(0)
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  t = (s32[], f32[], f32[], f32[]) tuple(z, a, b, a)
  l = (s32[], f32[], f32[], f32[]) while(t), condition=cond, body=body
  g0 = s32[] get-tuple-element(l), index=0
  g1 = f32[] get-tuple-element(l), index=1
  g2 = f32[] get-tuple-element(l), index=2
  g3 = f32[] get-tuple-element(l), index=3
  ROOT r = RESULT
})",
                             {{"BOUND", bound},
                              {"RESULT", result},
                              {"TERM", term}});
}

constexpr char kAll[] = "(s32[], f32[], f32[], f32[]) tuple(g0, g1, g2, g3)";

TEST(SimplifyWhileLoopsTest, ALoopThatNeverRunsIsItsInitialState) {
  auto module = TransformedBy<SimplifyWhileLoops>(Loop("0", kAll));
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSine), 0);
}

TEST(SimplifyWhileLoopsTest, ALoopThatRunsOnceIsItsBody) {
  auto module = TransformedBy<SimplifyWhileLoops>(Loop("1", kAll));
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSine), 1);
  EXPECT_EQ(module->computation_count(), 1);
}

TEST(SimplifyWhileLoopsTest, UnneededElementsLeaveTheState) {
  auto module = TransformedBy<SimplifyWhileLoops>(Loop("7", "f32[] negate(g1)"));
  EXPECT_EQ(CountOf(*module, Opcode::kSine), 0);
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() == Opcode::kWhile) {
      EXPECT_EQ(i->shape().ToString(), "(s32[], f32[], f32[])");
    }
  }
}

TEST(SimplifyWhileLoopsTest, OutsideAnInvariantElementIsItsInitialValue) {
  auto module = TransformedBy<SimplifyWhileLoops>(Loop("7", kAll));
  EXPECT_EQ(module->entry()->root()->operand(2)->opcode(), Opcode::kParameter);
}

TEST(SimplifyWhileLoopsTest, ComparisonsThatTheCounterDecidesGo) {
  auto module = TransformedBy<SimplifyWhileLoops>(Loop("7", kAll, "chosen"));
  EXPECT_EQ(CountOf(*module, Opcode::kCompare), 1);  // the condition
}

TEST(SimplifyWhileLoopsTest, LeavesOtherLoops) {
  ExpectUnchangedBy<SimplifyWhileLoops>(R"(
HloModule m
body { p = f32[] parameter(0) one = f32[] constant(1) ROOT r = f32[] add(p, one) }
cond { p = f32[] parameter(0) c = f32[] constant(5) ROOT r = pred[] compare(p, c), direction=LT }
ENTRY e { a = f32[] parameter(0) ROOT w = f32[] while(a), condition=cond, body=body })");
}

}  // namespace
}  // namespace hlokit
