#include "passes/backend/small_while_loop_hoisting.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Loop(const char* size) {
  std::string text = R"(
HloModule m
cond { c = (s32[], f32[4]) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  limit = s32[] constant(3) ROOT less = pred[] compare(n, limit), direction=LT }
body { b = (s32[], f32[4]) parameter(0)
  m = s32[] get-tuple-element(b), index=0
  x = f32[4] get-tuple-element(b), index=1
  one = s32[] constant(1) m1 = s32[] add(m, one)
  y = f32[4] add(x, x)
  ROOT r = (s32[], f32[4]) tuple(m1, y) }
ENTRY e {
  p = f32[4] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[4]) tuple(zero, p)
  w = (s32[], f32[4]) while(init), condition=cond, body=body
  ROOT a = f32[4] get-tuple-element(w), index=1
})";
  for (size_t at = 0; (at = text.find("[4]", at)) != std::string::npos;) {
    text.replace(at, 3, size);
  }
  return text;
}

TEST(SmallWhileLoopHoistingTest, SmallLoopsAreCalled) {
  auto module = TransformedBy<SmallWhileLoopHoisting>(Loop("[5]"));
  EXPECT_EQ(EntryOpcodes(*module),
            "constant parameter tuple call get-tuple-element");
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 1);
}

TEST(SmallWhileLoopHoistingTest, LargeLoopsStay) {
  ExpectUnchangedBy<SmallWhileLoopHoisting>(Loop("[500]"));
}

}  // namespace
}  // namespace hlokit
