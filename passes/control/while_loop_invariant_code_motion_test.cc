#include "passes/control/while_loop_invariant_code_motion.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(InvariantCodeMotionTest, ComputesOnceWhatIterationsComputeAlike) {
  auto module = TransformedBy<WhileLoopInvariantCodeMotion>(R"(
HloModule m
body {
  p = (s32[], f32[2,2], f32[2,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[2,2] get-tuple-element(p), index=1
  w = f32[2,2] get-tuple-element(p), index=2
  s = f32[2,2] sine(w)
  t = f32[2,2] transpose(s), dimensions={1,0}
  u = f32[2,2] cosine(t)
  y = f32[2,2] add(x, u)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[2,2], f32[2,2]) tuple(n, y, w)
}
cond {
  p = (s32[], f32[2,2], f32[2,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(5)
  ROOT r = pred[] compare(i, c), direction=LT
}
ENTRY e {
  z = s32[] constant(0)
  a = f32[2,2] parameter(0)
  b = f32[2,2] parameter(1)
  t = (s32[], f32[2,2], f32[2,2]) tuple(z, a, b)
  ROOT w = (s32[], f32[2,2], f32[2,2]) while(t), condition=cond, body=body
})");
  const Computation* body = module->FindComputation("body");
  for (const Instruction* i : body->instructions()) {
    EXPECT_NE(i->opcode(), Opcode::kSine);
    EXPECT_NE(i->opcode(), Opcode::kCosine);
  }
  EXPECT_EQ(CountOf(*module, Opcode::kCosine), 1);
}

constexpr char kLoop[] = R"(
HloModule m
body {
  p = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  w = f32[] get-tuple-element(p), index=2
  %s
  y = f32[] add(x, v)
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[], f32[]) tuple(n, y, w)
}
cond {
  p = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  c = s32[] constant(5)
  ROOT r = pred[] compare(i, c), direction=LT
}
ENTRY e {
  z = s32[] constant(0)
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  t = (s32[], f32[], f32[]) tuple(z, a, b)
  ROOT w = (s32[], f32[], f32[]) while(t), condition=cond, body=body
})";

TEST(InvariantCodeMotionTest, LeavesWhatChangesOrIsCheap) {
  for (const char* line : {"v = f32[] sine(x)", "v = f32[] reshape(w)"}) {
    std::string text = kLoop;
    text.replace(text.find("%s"), 2, line);
    ExpectUnchangedBy<WhileLoopInvariantCodeMotion>(text);
  }
}

TEST(InvariantCodeMotionTest, LeavesSideEffects) {
  std::string text = kLoop;
  text.replace(text.find("%s"), 2,
               "v = f32[] custom-call(w), custom_call_target=\"log\", "
               "custom_call_has_side_effect=true");
  ExpectUnchangedBy<WhileLoopInvariantCodeMotion>(text);
}

}  // namespace
}  // namespace hlokit
