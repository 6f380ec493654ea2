#include "passes/backend/fusion.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(FusionTest, AChainBecomesOneLoop) {
  auto module = TransformedBy<InstructionFusion>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3] parameter(1)
  c = f32[] constant(2)
  d = f32[2,3] broadcast(c), dimensions={}
  b = f32[2,3] broadcast(y), dimensions={1}
  s = f32[2,3] add(x, b)
  m = f32[2,3] multiply(s, d)
  ROOT t = f32[3,2] transpose(m), dimensions={1,0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter fusion");
  EXPECT_EQ(module->entry()->root()->to_apply()->instruction_count(), 8);
}

TEST(FusionTest, CheapWorkIsDoneInEveryFusionThatUsesIt) {
  auto module = TransformedBy<InstructionFusion>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] add(x, x)
  a = f32[4] negate(s)
  b = f32[4] abs(a)
  c = f32[4] multiply(s, s)
  d = f32[4] abs(c)
  ROOT t = (f32[4], f32[4]) tuple(b, d)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion fusion tuple");
  EXPECT_EQ(CountOf(*module, Opcode::kAdd), 2);
}

TEST(FusionTest, DearWorkThatTwoFusionsUseIsWritten) {
  auto module = TransformedBy<InstructionFusion>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] sine(x)
  m = f32[4] multiply(s, s)
  a = f32[4] negate(m)
  b = f32[4] abs(m)
  ROOT t = (f32[4], f32[4]) tuple(a, b)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine fusion fusion tuple");
}

TEST(FusionTest, CheapWorkIsNotDoneTooOften) {
  auto module = TransformedBy<InstructionFusion>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] add(x, x)
  u = f32[4] negate(s)
  v = f32[4] abs(s)
  w = f32[4] multiply(s, x)
  y = f32[4] maximum(s, x)
  z = f32[4] minimum(s, x)
  n = f32[4] negate(z)
  ROOT t = (f32[4], f32[4], f32[4], f32[4], f32[4]) tuple(u, v, w, y, n)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kAdd), 1);
}

TEST(FusionTest, BehindAReductionStandsWhatReadsItOnce) {
  auto module = TransformedBy<InstructionFusion>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,5] parameter(0)
  z = f32[] constant(0)
  s = f32[4,5] multiply(x, x)
  r = f32[4] reduce(s, z), dimensions={1}, to_apply=add
  q = f32[4] sqrt(r)
  ROOT n = f32[4] negate(q)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion");
}

TEST(FusionTest, ReductionsOfSeveralArraysAreRoots) {
  auto module = TransformedBy<InstructionFusion>(R"(
HloModule m
f {
  a = f32[] parameter(0) b = s32[] parameter(1)
  c = f32[] parameter(2) d = s32[] parameter(3)
  l = pred[] compare(a, c), direction=LT
  s = f32[] select(l, a, c)
  t = s32[] select(l, b, d)
  ROOT r = (f32[], s32[]) tuple(s, t)
}
ENTRY e {
  x = f32[4,5] parameter(0)
  i = s32[4,5] iota(), iota_dimension=1
  n = f32[4,5] negate(x)
  z = f32[] constant(9)
  o = s32[] constant(0)
  ROOT r = (f32[4], s32[4]) reduce(n, i, z, o), dimensions={1}, to_apply=f
})");
  EXPECT_EQ(CountOf(*module, Opcode::kIota), 1);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kFusion);
  EXPECT_TRUE(module->entry()->root()->shape().IsTuple());
}

TEST(FusionTest, AReductionIsNotDoneForEveryReader) {
  auto module = TransformedBy<InstructionFusion>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,5] parameter(0)
  z = f32[] constant(0)
  s = f32[4,5] multiply(x, x)
  r = f32[4] reduce(s, z), dimensions={1}, to_apply=add
  b = f32[4,5] broadcast(r), dimensions={0}
  ROOT n = f32[4,5] subtract(x, b)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion fusion");
}

TEST(FusionTest, DearWorkStaysAboveABroadcast) {
  auto module = TransformedBy<InstructionFusion>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[100,4] parameter(1)
  e = f32[4] exponential(x)
  b = f32[100,4] broadcast(e), dimensions={1}
  ROOT s = f32[100,4] add(y, b)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter exponential parameter fusion");
}

TEST(FusionTest, LeavesSingleOperationsAndReducers) {
  ExpectUnchangedBy<InstructionFusion>(R"(
HloModule m
f {
  a = f32[] parameter(0) b = f32[] parameter(1)
  s = f32[] add(a, b) n = f32[] negate(s) ROOT r = f32[] negate(n)
}
ENTRY e {
  x = f32[4,4] parameter(0)
  z = f32[] constant(0)
  d = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[4] reduce(d, z), dimensions={1}, to_apply=f
})");
}

TEST(FusionTest, ARecorderIsToldWhatIsFusedAndWhatStaysOut) {
  auto module = ParseOrDie(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] sine(x)
  m = f32[4] multiply(s, s)
  a = f32[4] negate(m)
  b = f32[4] abs(m)
  ROOT t = (f32[4], f32[4]) tuple(a, b)
})");
  FusionRecorder recorder;
  InstructionFusion pass;
  pass.set_recorder(&recorder);
  EXPECT_TRUE(*pass.Run(module.get()));
  std::vector<std::string> texts;
  for (const FusionStep& step : recorder.steps().at("e")) {
    texts.push_back(step.text);
    EXPECT_NE(step.before, nullptr);
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{
                "fusion: s stays out of a: several fusions would compute it",
                "fusion: m into a: negate_fusion",
                "fusion: m into b: abs_fusion"}));
}

}  // namespace
}  // namespace hlokit
