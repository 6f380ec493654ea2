#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/custom_call_config.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

TEST(CustomCallConfig, ReadsMlirDictionaries) {
  const auto config = CustomCallConfig::Parse(
      R"({diag = 78 : ui8, mode = "full", on = true, off = false, unit, x = 1.5 : f64, n = -3 : i32, sizes = array<i64: 1, 2>, list = [1 : i64, "a,b"], inner = {deep = 7 : i64}})");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->Letter("diag", '?'), 'N');
  EXPECT_EQ(config->String("mode"), "full");
  EXPECT_TRUE(config->Bool("on"));
  EXPECT_FALSE(config->Bool("off", true));
  EXPECT_TRUE(config->Bool("unit"));
  EXPECT_EQ(config->Double("x"), 1.5);
  EXPECT_EQ(config->Int("n"), -3);
  EXPECT_EQ(config->String("sizes"), "array<i64: 1, 2>");
  EXPECT_EQ(config->String("list"), R"([1 : i64, "a,b"])");
  EXPECT_EQ(config->Int("inner.deep"), 7);
  EXPECT_EQ(config->Int("absent", 5), 5);
  EXPECT_FALSE(config->Has("absent"));
}

TEST(CustomCallConfig, ReadsJson) {
  const auto config = CustomCallConfig::Parse(
      R"({"top_k": 5, "recall_target": 0.95, "aggregate_to_topk": true, "config": {"axis": "1", "ops": []}, "uplo": "L"})");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->Int("top_k"), 5);
  EXPECT_EQ(config->Double("recall_target"), 0.95);
  EXPECT_TRUE(config->Bool("aggregate_to_topk"));
  EXPECT_EQ(config->Int("config.axis"), 1);
  EXPECT_EQ(config->String("config.ops"), "[]");
  EXPECT_EQ(config->Letter("uplo", '?'), 'L');
}

TEST(CustomCallConfig, OfNothingIsEmptyAndOfNonsenseAnError) {
  EXPECT_TRUE(CustomCallConfig::Parse("").ok());
  EXPECT_TRUE(CustomCallConfig::Parse(" {} ").ok());
  for (const char* text :
       {"{", "}", "{a", "{a =", "{a = }", "{a = \"x}", "{a = 1} b", "x", "{,}",
        "{\"a\": \"\\"}) {
    EXPECT_FALSE(CustomCallConfig::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(CustomCallConfig::Parse(std::string(100000, '{')).ok());
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{a = ";
  EXPECT_FALSE(CustomCallConfig::Parse(deep).ok());
}

TEST(CustomCall, LeavesValuesOfAnnotationsAlone) {
  const Literal a = Vector(kF32, {1, 2, 3});
  for (const char* target :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
        "annotate_device_placement", "MoveToHost", "MoveToDevice", "Pin",
        "LayoutConstraint", "InspectSharding", "xla.sdy.FuncResultSharding",
        "xla.sdy.ShardingGroup", "xla.sdy.PropagationBarrier",
        "xla.sdy.GlobalToLocalShape", "AssumeGatherIndicesInBound"}) {
    EXPECT_EQ(RunOp(absl::StrCat("f32[3] custom-call(a), custom_call_target=\"",
                                 target, "\""),
                    {a}),
              a)
        << target;
  }
  const Literal both = RunOp(
      "(f32[3], f32[3]) custom-call(a, a), "
      "custom_call_target=\"xla.sdy.LocalToGlobalShape\"",
      {a});
  ASSERT_EQ(both.elements().size(), 2u);
  EXPECT_EQ(both.elements()[1], a);
}

TEST(CustomCall, SaysThatAShardedShapeTakesSeveralDevices) {
  EXPECT_THAT(Message(OpError("f32[6] custom-call(a), "
                              "custom_call_target=\"SPMDShardToFullShape\"",
                              {Vector(kF32, {1, 2, 3})})),
              HasSubstr("several devices"));
}

TEST(CustomCall, NamesAnUnknownTargetAndWhatCanBeDone) {
  const std::string message = Message(OpError(
      "f32[1] custom-call(a), custom_call_target=\"lapack_sgetrf\"",
      {Vector(kF32, {1})}));
  EXPECT_THAT(message, HasSubstr("No registered implementation for untyped "
                                 "custom call to lapack_sgetrf for Host"));
  EXPECT_THAT(message, HasSubstr("did you mean 'lapack_sgetrf_ffi'"));
  EXPECT_THAT(message, HasSubstr("--custom_call_stub=zeros"));
  EXPECT_THAT(Message(OpError("f32[1] custom-call(a), custom_call_target="
                              "\"xla_ffi_python_cpu_callback\"",
                              {Vector(kF32, {1})})),
              HasSubstr("Python"));
}

TEST(CustomCall, RunsTheOnlyComputationThatFits) {
  EXPECT_THAT(Values(RunText(R"(
double { x = f32[2] parameter(0)  ROOT r = f32[2] add(x, x) }
ENTRY e {
  a = f32[2] parameter(0)
  ROOT r = f32[2] custom-call(a), custom_call_target="my.double", called_computations={double}
})",
                         {Vector(kF32, {1, 2})})),
              ElementsAre(2, 4));
}

TEST(CustomCall, ChecksShapeAssertions) {
  const char* line =
      "() custom-call(a, b), custom_call_target=\"shape_assertion\", "
      "backend_config={error_message = \"want more than {0}\"}";
  EXPECT_TRUE(OpError(line, {Vector(kPred, {1}), Numbers(kS32, {}, {7})}).ok());
  EXPECT_THAT(
      Message(OpError(line, {Vector(kPred, {0}), Numbers(kS32, {}, {7})})),
      HasSubstr("want more than 7"));
}

TEST(CustomCall, MakesBuffersOfZeros) {
  for (const char* target : {"AllocateBuffer", "CreateBuffer"}) {
    EXPECT_THAT(Values(RunOp(absl::StrCat("s32[2] custom-call(), "
                                          "custom_call_target=\"",
                                          target, "\""),
                             {})),
                ElementsAre(0, 0));
  }
  ExecuteOptions options;
  options.seed = 99;
  EXPECT_THAT(Values(RunOp("u64[] custom-call(), "
                           "custom_call_target=\"GetRngSeed\"",
                           {}, options)),
              ElementsAre(99));
}

TEST(CustomCall, SplitsAndJoins64BitIntegers) {
  const Literal x = Literal::Array<uint64_t>({2}, {0x123456789abcdef0, 7});
  const Literal low = RunOp(
      "u32[2] custom-call(a), custom_call_target=\"X64SplitLow\"", {x});
  const Literal high = RunOp(
      "u32[2] custom-call(a), custom_call_target=\"X64SplitHigh\"", {x});
  EXPECT_THAT(Values(low), ElementsAre(0x9abcdef0, 7));
  EXPECT_THAT(Values(high), ElementsAre(0x12345678, 0));
  EXPECT_EQ(RunOp("u64[2] custom-call(a, b), custom_call_target=\"X64Combine\"",
                  {low, high}),
            x);
}

TEST(CustomCall, GivesAndTakesDynamicSizes) {
  const Literal result = RunText(R"(
ENTRY e {
  a = f32[4] parameter(0)
  n = s32[] constant(2)
  d = f32[<=4] custom-call(a, n), custom_call_target="SliceToDynamic"
  ROOT p = (f32[4], s32[]) custom-call(d), custom_call_target="PadToStatic"
})",
                             {Vector(kF32, {1, 2, 3, 4})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(2));
}

TEST(CustomCall, FindsTheLargestElements) {
  const Literal a = Numbers(kF32, {2, 3}, {1, 3, 2, 6, 5, 6});
  const Literal result = RunText(R"(
gt {
  x = f32[] parameter(0)  y = f32[] parameter(1)
  p = s32[] parameter(2)  q = s32[] parameter(3)
  ROOT r = pred[] compare(x, y), direction=GT
}
ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT r = (f32[2,2], s32[2,2]) custom-call(a), custom_call_target="TopK", called_computations={gt}
})",
                             {a});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(3, 2, 6, 6));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(1, 2, 0, 2));
}

TEST(CustomCall, FindsApproximateLargestElementsExactly) {
  const char* text = R"(
gt {
  x = f32[] parameter(0)  y = f32[] parameter(1)
  p = s32[] parameter(2)  q = s32[] parameter(3)
  ROOT r = pred[] compare(x, y), direction=GT
}
ENTRY e {
  a = f32[4,2] parameter(0)
  i = s32[4,2] iota(), iota_dimension=0
  low = f32[] constant(-inf)
  none = s32[] constant(-1)
  t = (f32[2,2], s32[2,2]) custom-call(a, i, low, none), custom_call_target="ApproxTopK", called_computations={gt}, backend_config="{\"top_k\": 2, \"reduction_dim\": 0, \"recall_target\": 0.9, \"aggregate_to_topk\": true}"
  p = (f32[5,2], s32[5,2]) custom-call(a, i, low, none), custom_call_target="PartialReduce", called_computations={gt}, backend_config="{\"top_k\": 2, \"reduction_dim\": 0, \"aggregate_to_topk\": false}"
  ti = s32[2,2] get-tuple-element(t), index=1
  pi = s32[5,2] get-tuple-element(p), index=1
  ROOT r = (s32[2,2], s32[5,2]) tuple(ti, pi)
})";
  const Literal result =
      RunText(text, {Numbers(kF32, {4, 2}, {1, 8, 4, 7, 3, 6, 2, 5})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(1, 0, 2, 1));
  EXPECT_THAT(Values(result.elements()[1]),
              ElementsAre(1, 0, 2, 1, 3, 2, 0, 3, -1, -1));
}

// The vectors of the Random123 distribution's known-answer tests.
TEST(CustomCall, ComputesThreefryBlocks) {
  const Literal result = RunOp(
      "(u32[3], u32[3]) custom-call(a, b, c, d), "
      "custom_call_target=\"cu_threefry2x32_ffi\"",
      {Vector(kU32, {0, 0xffffffff, 0x13198a2e}),
       Vector(kU32, {0, 0xffffffff, 0x03707344}),
       Vector(kU32, {0, 0xffffffff, 0x243f6a88}),
       Vector(kU32, {0, 0xffffffff, 0x85a308d3})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]),
              ElementsAre(0x6b200159, 0x1cb996fc, 0xc4923a9c));
  EXPECT_THAT(Values(result.elements()[1]),
              ElementsAre(0x99ba4efe, 0xbb002be7, 0x483df7a0));
}

TEST(CustomCall, TurnsPivotsIntoAPermutation) {
  const char* target = "custom_call_target=\"cu_lu_pivots_to_permutation\"";
  // Swap 0 with 2, then 1 with 2.
  EXPECT_THAT(Values(RunOp(absl::StrCat("s32[1,4] custom-call(a), ", target),
                           {Numbers(kS32, {1, 2}, {2, 2})})),
              ElementsAre(2, 0, 1, 3));
  EXPECT_FALSE(OpError(absl::StrCat("s32[1,4] custom-call(a), ", target),
                       {Numbers(kS32, {1, 2}, {4, 0})})
                   .ok());
}

TEST(CustomCall, RunsOneDnnCalls) {
  const double e = std::exp(1.0);
  const auto soft = Values(RunOp(
      "f32[1,2] custom-call(a), custom_call_target=\"__onednn$softmax\", "
      "backend_config=\"{\\\"onednn_softmax_config\\\":{\\\"softmax_axis\\\":1}}\"",
      {Numbers(kF32, {1, 2}, {5, 6})}));
  EXPECT_NEAR(soft[0], 1 / (1 + e), 1e-6);
  EXPECT_NEAR(soft[1], e / (1 + e), 1e-6);
  EXPECT_THAT(
      Values(RunOp("f32[1,2] custom-call(a, b, c), "
                   "custom_call_target=\"__onednn$layernorm\"",
                   {Numbers(kF32, {1, 2}, {1, 3}), Vector(kF32, {2, 2}),
                    Vector(kF32, {0, 5})})),
      ElementsAre(-2, 7));
  const Literal a = Numbers(kF32, {1, 2, 1}, {1, 2});
  EXPECT_THAT(
      Values(RunOp("f32[1,1,1] custom-call(a, b), "
                   "custom_call_target=\"__onednn$matmul\", "
                   "backend_config=\"{\\\"onednn_matmul_config\\\":{"
                   "\\\"transpose_a\\\":true}}\"",
                   {a, Numbers(kF32, {1, 2, 1}, {10, 100})})),
      ElementsAre(210));
}

TEST(CustomCall, RefusesOperandsOfOtherShapes) {
  for (const char* line :
       {"u32[2] custom-call(a), custom_call_target=\"X64SplitLow\"",
        "(f32[2], s32[3]) custom-call(a), custom_call_target=\"TopK\"",
        "(f32[9], s32[9]) custom-call(a), custom_call_target=\"TopK\"",
        "f32[3] custom-call(a), custom_call_target=\"TopK\"",
        "f32[3] custom-call(a), custom_call_target=\"ApproxTopK\"",
        "f32[3] custom-call(a), custom_call_target=\"SliceToDynamic\"",
        "f32[3] custom-call(a), custom_call_target=\"PadToStatic\"",
        "f32[3] custom-call(a), custom_call_target=\"GetRngSeed\"",
        "f32[3] custom-call(), custom_call_target=\"Sharding\"",
        "f32[3] custom-call(a), custom_call_target=\"__onednn$matmul\"",
        "f32[3] custom-call(a), custom_call_target=\"cu_threefry2x32_ffi\"",
        "f32[3] custom-call(a), "
        "custom_call_target=\"cu_lu_pivots_to_permutation\""}) {
    EXPECT_FALSE(OpError(line, {Vector(kF32, {1, 2, 3})}).ok()) << line;
  }
}

}  // namespace
}  // namespace hlokit::interpreter
