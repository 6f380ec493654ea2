#include "dump/fusion_recorder.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

using ::testing::SizeIs;

constexpr char kBefore[] = R"(HloModule m

body {
  p = f32[8] parameter(0)
  ROOT q = f32[8] negate(p)
}
cond {
  r = f32[8] parameter(0)
  ROOT c = pred[] constant(false)
}
ENTRY main {
  x = f32[8] parameter(0)
  w = f32[8] while(x), condition=cond, body=body
  a = f32[8] add(w, x)
  b = f32[8] exponential(a)
  ROOT d = f32[8] multiply(b, b)
})";

constexpr char kAfter[] = R"(HloModule m

fused {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  a.1 = f32[8] add(p, q)
  b.1 = f32[8] exponential(a.1)
  ROOT d.1 = f32[8] multiply(b.1, b.1)
}
ENTRY main {
  x = f32[8] parameter(0)
  w = f32[8] negate(x)
  ROOT f = f32[8] fusion(w, x), kind=kLoop, calls=fused
})";

const Instruction* Find(const Module& module, absl::string_view name) {
  for (const Instruction* i : module.entry()->instructions()) {
    if (i->name() == name) return i;
  }
  return nullptr;
}

TEST(FusionRecorderTest, AStepIsToldWithThePartOfTheProgramBeforeAndAfter) {
  const auto before = *ParseModule(kBefore);
  const auto after = *ParseModule(kAfter);
  FusionRecorder recorder;
  EXPECT_TRUE(recorder.empty());
  recorder.BeforeFusing("fusion", {Find(*before, "a"), Find(*before, "b"),
                                   Find(*before, "d")});
  recorder.Fused(*Find(*after, "f"));
  ASSERT_THAT(recorder.steps(), SizeIs(1));
  ASSERT_THAT(recorder.steps().at("main"), SizeIs(1));
  const FusionStep& step = recorder.steps().at("main")[0];
  EXPECT_EQ(step.text, "fusion: a, b into d: f");
  EXPECT_EQ(step.focus, "d");
  EXPECT_EQ(step.after_focus, "f");
  // A loop's body would be there again in every step: it is a mere input.
  EXPECT_THAT(step.before->computations(), SizeIs(1));
  EXPECT_EQ(Find(*step.before, "w")->opcode(), Opcode::kParameter);
  EXPECT_EQ(Find(*step.before, "b")->opcode(), Opcode::kExponential);
  EXPECT_THAT(step.after->computations(), SizeIs(2));
}

TEST(FusionRecorderTest, WhatStaysOutIsToldWithTheReason) {
  const auto module = *ParseModule(kBefore);
  FusionRecorder recorder;
  recorder.NotFused("fusion", *Find(*module, "a"), *Find(*module, "b"),
                    "it is dear");
  const FusionStep& step = recorder.steps().at("main")[0];
  EXPECT_EQ(step.text, "fusion: a stays out of b: it is dear");
  EXPECT_EQ(step.focus, "a");
  EXPECT_EQ(step.after, nullptr);
}

TEST(FusionRecorderTest, TooManyStepsAreCountedOnly) {
  const auto module = *ParseModule(kBefore);
  FusionRecorder recorder;
  for (int i = 0; i < 1100; ++i) {
    recorder.NotFused("fusion", *Find(*module, "a"), *Find(*module, "b"), "");
  }
  EXPECT_THAT(recorder.steps().at("main"), SizeIs(1000));
  EXPECT_EQ(recorder.left_out(), 100);
}

}  // namespace
}  // namespace hlokit
