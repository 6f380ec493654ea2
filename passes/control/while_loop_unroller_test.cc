#include "passes/control/while_loop_unroller.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kLoop[] = R"(
HloModule m
cond { c = (s32[], f32[4]) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  limit = s32[] constant(%s) ROOT less = pred[] compare(n, limit), direction=LT }
body { b = (s32[], f32[4]) parameter(0)
  m = s32[] get-tuple-element(b), index=0
  x = f32[4] get-tuple-element(b), index=1
  one = s32[] constant(1) m1 = s32[] add(m, one)
  f = f32[] convert(m) fs = f32[4] broadcast(f), dimensions={}
  y = f32[4] add(x, fs)
  ROOT r = (s32[], f32[4]) tuple(m1, y) }
ENTRY e {
  p = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, p)
  w = (s32[], f32[4]) while(init), condition=cond, body=body
  ROOT a = f32[4] get-tuple-element(w), index=1
})";

std::string Loop(const char* limit) {
  std::string text = kLoop;
  return text.replace(text.find("%s"), 2, limit);
}

TEST(WhileLoopUnrollerTest, WritesIterationsOneAfterAnother) {
  auto module = TransformedBy<WhileLoopUnroller>(Loop("3"));
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kConvert), 3);
  EXPECT_EQ(module->computation_count(), 1);
}

TEST(WhileLoopUnrollerTest, LeavesLongLoops) {
  ExpectUnchangedBy<WhileLoopUnroller>(Loop("65"));
}

TEST(WhileLoopUnrollerTest, LeavesLoopsOfUnknownLength) {
  std::string text = Loop("3");
  text.replace(text.find("zero = s32[] constant(0)"), 24,
               "zero = s32[] parameter(1)");
  ExpectUnchangedBy<WhileLoopUnroller>(text);
}

}  // namespace
}  // namespace hlokit
