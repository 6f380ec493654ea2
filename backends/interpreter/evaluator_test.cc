#include "backends/interpreter/evaluator.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/test_util.h"
#include "hlo/ir/opcode.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Kernels, EveryOpcodeHasOne) {
  for (const OpcodeInfo& info : AllOpcodes()) {
    EXPECT_NE(KernelOf(info.opcode), nullptr) << info.name;
  }
}

constexpr char kAddModule[] =
    "ENTRY e { a = f32[2] parameter(0)\n b = f32[2] parameter(1)\n"
    "ROOT r = f32[2] add(a, b) }";

// Forty levels, each of which calls the one below twice.
std::string DoublingCalls(absl::string_view opcode) {
  std::string text =
      "k0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int k = 1; k <= 40; ++k) {
    absl::StrAppend(&text, "k", k, " { p = f32[] parameter(0) q = f32[] ",
                    opcode, "(p), to_apply=k", k - 1, " ROOT r = f32[] ",
                    opcode, "(q), to_apply=k", k - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { p = f32[] constant(2) ROOT r = f32[] ",
                      opcode, "(p), to_apply=k40 }\n");
}

TEST(Evaluate, RefusesCallsThatDoubleAtEveryLevel) {
  for (const char* opcode : {"call", "map"}) {
    const absl::Status status = TryExecute(DoublingCalls(opcode)).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(status.ToString(), HasSubstr("the limit is 10000000"));
  }
}

TEST(EvaluateConstant, RefusesMapsThatDoubleAtEveryLevel) {
  auto module = ParseModule(absl::StrCat("HloModule m\n",
                                         DoublingCalls("map")));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status =
      EvaluateConstant(*(*module)->entry()->root()).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

// 2 GiB of concatenations of which one element is read.
TEST(MakeExecutable, SlicesReadThroughLargeConcatenations) {
  std::string text = "HloModule m\nENTRY e {\n c0 = f32[4] parameter(0)\n";
  for (int k = 1; k <= 27; ++k) {
    absl::StrAppend(&text, " c", k, " = f32[", 4 << k, "] concatenate(c", k - 1,
                    ", c", k - 1, "), dimensions={0}\n");
  }
  auto module = ParseModule(
      text + " ROOT r = f32[2] slice(c27), slice={[268435457:268435460:2]}\n}");
  ASSERT_TRUE(module.ok()) << module.status();
  auto executable = MakeExecutable(*std::move(module));
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (const Instruction* i :
       (*executable)->module().entry()->instructions()) {
    EXPECT_LT(ByteSizeOf(i->shape()), int64_t{1} << 26) << i->name();
  }
  auto result = (*executable)->Execute({Vector(kF32, {1, 2, 3, 4})}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->value, Vector(kF32, {2, 4}));
}

TEST(MakeExecutable, SlicesOfSeveralOperandsKeepTheirConcatenation) {
  auto module = ParseModule(R"(HloModule m
    ENTRY e {
      a = s8[33554432] parameter(0)
      c = s8[67108864] concatenate(a, a), dimensions={0}
      ROOT r = s8[2] slice(c), slice={[33554431:33554433]}
    })");
  ASSERT_TRUE(module.ok()) << module.status();
  auto executable = MakeExecutable(*std::move(module));
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->module().entry()->root()->operand(0)->opcode(),
            Opcode::kConcatenate);
}

TEST(Evaluate, RefusesArgumentsThatDoNotFit) {
  const Literal x = Vector(kF32, {1, 2});
  EXPECT_THAT(TryExecute(kAddModule, {x}).status().ToString(),
              HasSubstr("takes 2 arguments, not 1"));
  EXPECT_THAT(
      TryExecute(kAddModule, {x, Vector(kF32, {1})}).status().ToString(),
      HasSubstr("argument 1 is f32[1]{0}, but parameter b is f32[2]"));
  EXPECT_THAT(
      TryExecute(kAddModule, {x, Vector(kS32, {1, 2})}).status().ToString(),
      HasSubstr("argument 1 is s32[2]"));
}

TEST(Evaluate, ErrorsNameTheInstructionOnce) {
  const std::string text =
      "f { p = s32[1] parameter(0)\n ROOT bad = s32[1] tanh(p) }\n"
      "ENTRY e { a = s32[1] parameter(0)\n"
      "ROOT r = s32[1] call(a), to_apply=f }";
  const std::string error =
      TryExecute(text, {Vector(kS32, {1})}).status().ToString();
  EXPECT_THAT(error, HasSubstr("bad (tanh)"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("r (call)")));
}

std::string Nested(int depth) {
  std::string text = "fn0 { p = s32[] parameter(0)\n ROOT r = s32[] negate(p) }\n";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "fn", i, " { p = s32[] parameter(0)\n",
                    "ROOT r = s32[] call(p), to_apply=fn", i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { p = s32[] parameter(0)\n",
                  "ROOT r = s32[] call(p), to_apply=fn", depth - 1, " }\n");
  return text;
}

TEST(Evaluate, LimitsTheNestingOfCalls) {
  EXPECT_THAT(Values(RunText(Nested(900), {Numbers(kS32, {}, {5})})),
              ElementsAre(-5));
  EXPECT_EQ(
      TryExecute(Nested(1100), {Numbers(kS32, {}, {5})}).status().code(),
      absl::StatusCode::kResourceExhausted);
}

constexpr char kEndless[] =
    "c { p = s32[] parameter(0)\n ROOT t = pred[] constant(true) }\n"
    "b { p = s32[] parameter(0)\n ROOT n = s32[] negate(p) }\n"
    "ENTRY e { z = s32[] constant(1)\n"
    "ROOT w = s32[] while(z), condition=c, body=b }";

TEST(Evaluate, GivesUpAfterTheStepsThatTheOptionsAllow) {
  ExecuteOptions options;
  options.max_steps = 1000;
  EXPECT_THAT(TryExecute(kEndless, {}, options).status().ToString(),
              HasSubstr("more than 1000 steps"));
}

TEST(Evaluate, TellsTheObserverOfTopLevelInstructionsInOrder) {
  std::vector<std::string> seen;
  ExecuteOptions options;
  options.observer = [&](const Instruction& instruction, const Literal& value) {
    seen.push_back(absl::StrCat(instruction.name(), "=", value.ToString()));
    return absl::OkStatus();
  };
  RunText("f { p = s32[] parameter(0)\n ROOT n = s32[] negate(p) }\n"
      "ENTRY e { a = s32[] parameter(0)\n x = s32[] call(a), to_apply=f\n"
      "ROOT r = s32[] add(x, x) }",
      {Numbers(kS32, {}, {3})}, options);
  EXPECT_THAT(seen, ElementsAre("a=3", "x=-3", "r=-6"));
}

TEST(Evaluate, AnObserversErrorEndsTheExecution) {
  ExecuteOptions options;
  options.observer = [](const Instruction&, const Literal&) {
    return absl::CancelledError("enough");
  };
  EXPECT_EQ(TryExecute(kEndless, {}, options).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(Evaluate, RunsInTheOrderOfTheSchedule) {
  std::vector<std::string> seen;
  ExecuteOptions options;
  options.observer = [&](const Instruction& instruction, const Literal&) {
    seen.emplace_back(instruction.name());
    return absl::OkStatus();
  };
  RunText("HloModule m, is_scheduled=true\n"
      "ENTRY e { a = s32[] parameter(0)\n second = s32[] negate(a)\n"
      "first = s32[] abs(a)\n ROOT r = s32[] add(first, second) }",
      {Numbers(kS32, {}, {3})}, options);
  EXPECT_THAT(seen, ElementsAre("a", "second", "first", "r"));
}

TEST(Evaluate, RefusesValuesThatAreTooLarge) {
  EXPECT_EQ(TryExecute("ENTRY e { c = f32[] constant(1)\n"
                       "ROOT r = f32[1000000,1000000] broadcast(c), "
                       "dimensions={} }")
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ControlFlow, CallsFusionsAndNestedTuples) {
  const Literal result = RunText(
      "f { p = f32[2] parameter(0)\n q = f32[2] parameter(1)\n"
      "s = f32[2] add(p, q)\n t = f32[2] subtract(p, q)\n"
      "i = (f32[2]) tuple(t)\n"
      "ROOT r = (f32[2], (f32[2])) tuple(s, i) }\n"
      "ENTRY e { a = f32[2] parameter(0)\n"
      "u = (f32[2], (f32[2])) fusion(a, a), kind=kLoop, calls=f\n"
      "x = (f32[2]) get-tuple-element(u), index=1\n"
      "y = f32[2] get-tuple-element(x), index=0\n"
      "z = f32[2] get-tuple-element(u), index=0\n"
      "ROOT r = (f32[2], f32[2]) tuple(z, y) }",
      {Vector(kF32, {1, 2})});
  EXPECT_THAT(Values(result.Sub({0})), ElementsAre(2, 4));
  EXPECT_THAT(Values(result.Sub({1})), ElementsAre(0, 0));
}

TEST(ControlFlow, WhileTestsBeforeEachTurn) {
  const std::string text =
      "c { s = (s32[], s32[4]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(4)\n"
      "ROOT p = pred[] compare(i, n), direction=LT }\n"
      "b { s = (s32[], s32[4]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\n"
      "x = s32[4] get-tuple-element(s), index=1\n"
      "one = s32[] constant(1)\n j = s32[] add(i, one)\n"
      "sq = s32[] multiply(i, i)\n u = s32[1] reshape(sq)\n"
      "y = s32[4] dynamic-update-slice(x, u, i)\n"
      "ROOT t = (s32[], s32[4]) tuple(j, y) }\n"
      "ENTRY e { i = s32[] parameter(0)\n x = s32[4] parameter(1)\n"
      "s = (s32[], s32[4]) tuple(i, x)\n"
      "ROOT w = (s32[], s32[4]) while(s), condition=c, body=b }";
  const Literal x = Vector(kS32, {7, 7, 7, 7});
  const Literal all = RunText(text, {Numbers(kS32, {}, {0}), x});
  EXPECT_EQ(all.Sub({0}).GetAsInt64(0), 4);
  EXPECT_THAT(Values(all.Sub({1})), ElementsAre(0, 1, 4, 9));
  const Literal none = RunText(text, {Numbers(kS32, {}, {9}), x});
  EXPECT_EQ(none.Sub({0}).GetAsInt64(0), 9);
  EXPECT_THAT(Values(x), ElementsAre(7, 7, 7, 7));
}

TEST(ControlFlow, LongLoopsUpdateLargeBuffersInPlace) {
  // A copy of the buffer at each turn would take 200 GB of traffic.
  const std::string text =
      "c { s = (s32[], f32[1000000]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(50000)\n"
      "ROOT p = pred[] compare(i, n), direction=LT }\n"
      "b { s = (s32[], f32[1000000]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\n one = s32[] constant(1)\n"
      "j = s32[] add(i, one)\n f = f32[] convert(i)\n u = f32[1] reshape(f)\n"
      "x = f32[1000000] get-tuple-element(s), index=1\n"
      "y = f32[1000000] dynamic-update-slice(x, u, i)\n"
      "ROOT t = (s32[], f32[1000000]) tuple(j, y) }\n"
      "ENTRY e { i = s32[] constant(0)\n z = f32[] constant(0)\n"
      "x = f32[1000000] broadcast(z), dimensions={}\n"
      "s = (s32[], f32[1000000]) tuple(i, x)\n"
      "w = (s32[], f32[1000000]) while(s), condition=c, body=b\n"
      "ROOT r = f32[1000000] get-tuple-element(w), index=1 }";
  const absl::StatusOr<ExecutionResult> result = TryExecute(text);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->value.GetAsDouble(49999), 49999);
  EXPECT_LT(result->seconds, 10);
}

TEST(ControlFlow, ConditionalTakesTheLastBranchForIndicesOutside) {
  const std::string text =
      "f0 { p = s32[] parameter(0)\n ROOT r = s32[] constant(10) }\n"
      "f1 { p = s32[] parameter(0)\n ROOT r = s32[] constant(11) }\n"
      "f2 { p = s32[] parameter(0)\n ROOT r = s32[] negate(p) }\n"
      "ENTRY e { i = s32[] parameter(0)\n x = s32[] constant(5)\n"
      "ROOT r = s32[] conditional(i, x, x, x), "
      "branch_computations={f0, f1, f2} }";
  std::vector<int64_t> got;
  for (int i : {0, 1, 2, 3, -1}) {
    got.push_back(RunText(text, {Numbers(kS32, {}, {double(i)})}).GetAsInt64(0));
  }
  EXPECT_THAT(got, ElementsAre(10, 11, -5, -5, -5));
}

TEST(ControlFlow, ConditionalOnAPredTakesTheFirstBranchIfTrue) {
  const std::string text =
      "t { p = s32[] parameter(0)\n ROOT r = s32[] abs(p) }\n"
      "f { p = s32[] parameter(0)\n ROOT r = s32[] negate(p) }\n"
      "ENTRY e { c = pred[] parameter(0)\n x = s32[] constant(5)\n"
      "ROOT r = s32[] conditional(c, x, x), true_computation=t, "
      "false_computation=f }";
  EXPECT_EQ(RunText(text, {Numbers(kPred, {}, {1})}).GetAsInt64(0), 5);
  EXPECT_EQ(RunText(text, {Numbers(kPred, {}, {0})}).GetAsInt64(0), -5);
}

TEST(ControlFlow, MapAppliesAFunctionToEachElement) {
  EXPECT_THAT(
      Values(RunText("f { p = f32[] parameter(0)\n q = f32[] parameter(1)\n"
                 "c = f32[] constant(2)\n m = f32[] multiply(p, c)\n"
                 "ROOT r = f32[] add(m, q) }\n"
                 "ENTRY e { a = f32[3] parameter(0)\n b = f32[3] parameter(1)\n"
                 "ROOT r = f32[3] map(a, b), dimensions={0}, to_apply=f }",
                 {Vector(kF32, {1, 2, 3}), Vector(kF32, {10, 20, 30})})),
      ElementsAre(12, 24, 36));
}

TEST(Structure, HandsValuesOn) {
  const Literal x = Vector(kF32, {1, 2});
  for (const char* op : {"copy", "opt-barrier"}) {
    EXPECT_THAT(Values(RunOp(absl::StrCat("f32[2]{0} ", op, "(a)"), {x})),
                ElementsAre(1, 2))
        << op;
  }
  EXPECT_THAT(
      Values(RunOp("f32[2]{0} domain(a), domain={kind=\"sharding\", "
                   "entry={maximal device=0}, exit={maximal device=1}}",
                   {x})),
      ElementsAre(1, 2));
  EXPECT_THAT(Values(RunText("ENTRY e { a = f32[2] parameter(0)\n"
                         "t = token[] after-all()\n u = token[] after-all(t)\n"
                         "ROOT r = f32[2] add-dependency(a, u) }",
                         {x})),
              ElementsAre(1, 2));
  EXPECT_THAT(
      Values(RunText("ENTRY e { ROOT r = s4[2,2] constant({{1,-8},{7,0}}) }")),
      ElementsAre(1, -8, 7, 0));
}

TEST(EvaluateConstant, FoldsOperationsOnConstantsOnly) {
  Module module("m");
  auto entry = Computation::Create(&module, "main");
  Instruction* two = entry->AddConstant(Literal::Scalar<int32_t>(2));
  Instruction* sum = entry->Add(Opcode::kAdd, two->shape(), {two, two});
  Instruction* parameter = entry->AddParameter(0, two->shape());
  Instruction* mixed = entry->Add(Opcode::kAdd, two->shape(), {two, parameter});
  Instruction* id =
      entry->Add(Opcode::kReplicaId, Shape::Scalar(kU32),
                 absl::Span<Instruction* const>());
  entry->set_root(mixed);
  module.AddEntryComputation(std::move(entry));
  EXPECT_EQ(EvaluateConstant(*sum)->First<int32_t>(), 4);
  EXPECT_FALSE(EvaluateConstant(*mixed).ok());
  EXPECT_FALSE(EvaluateConstant(*id).ok());
}

TEST(Backends, AreFoundByNameInAnyCase) {
  ASSERT_TRUE(BackendByName("Interpreter").ok());
  EXPECT_EQ((*BackendByName("Interpreter"))->name(), "interpreter");
  EXPECT_THAT(BackendByName("abacus").status().ToString(),
              HasSubstr("interpreter"));
}

TEST(Backends, ExecuteCompiledModulesSeveralTimes) {
  absl::StatusOr<std::unique_ptr<Module>> module =
      ParseModule(absl::StrCat("HloModule m\n", kAddModule));
  ASSERT_TRUE(module.ok()) << module.status();
  absl::StatusOr<std::unique_ptr<Executable>> executable =
      (*BackendByName("interpreter"))->Compile(*std::move(module), {});
  ASSERT_TRUE(executable.ok());
  const Literal x = Vector(kF32, {1, 2});
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<ExecutionResult> result =
        (*executable)->Execute({x, x}, {});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_THAT(Values(result->value), ElementsAre(2, 4));
  }
}

}  // namespace
}  // namespace hlokit::interpreter
