#include "passes/control/while_loop_constant_sinking.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kLoop[] = R"(
HloModule m
body {
  p = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[2] get-tuple-element(p), index=1
  w = f32[2] get-tuple-element(p), index=2
  y = f32[2] add(x, w)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[2], f32[2]) tuple(n, y, NEXT)
}
cond {
  p = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(5)
  ROOT r = pred[] compare(i, c), direction=LT
}
ENTRY e {
  z = s32[] constant(0)
  a = f32[2] parameter(0)
  b = f32[2] constant({1, 2})
  t = (s32[], f32[2], f32[2]) tuple(z, a, b)
  ROOT w = (s32[], f32[2], f32[2]) while(t), condition=cond, body=body
})";

std::string Loop(const char* next) {
  std::string text = kLoop;
  text.replace(text.find("NEXT"), 4, next);
  return text;
}

TEST(ConstantSinkingTest, PutsAnInvariantConstantIntoTheBody) {
  auto module = TransformedBy<WhileLoopConstantSinking>(Loop("w"));
  const Computation* body = module->FindComputation("body");
  EXPECT_EQ(body->FindInstruction("y")->operand(1)->opcode(),
            Opcode::kConstant);
}

TEST(ConstantSinkingTest, LeavesWhatTheBodyChanges) {
  ExpectUnchangedBy<WhileLoopConstantSinking>(Loop("y"));
}

}  // namespace
}  // namespace hlokit
