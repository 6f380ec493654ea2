#include "backends/interpreter/scalar_function.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"
#include "hlo/ir/small_float.h"

namespace hlokit::interpreter {
namespace {

// A module whose entry is the function under test.
class Function {
 public:
  explicit Function(const std::string& text) : context_(ExecuteOptions{}) {
    auto module = ParseModule(absl::StrCat("HloModule m\n", text));
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    auto function = ScalarFunction::Create(context_, *module_->entry());
    EXPECT_TRUE(function.ok()) << function.status();
    function_ = *std::move(function);
  }
  ScalarFunction& operator*() { return *function_; }
  template <typename Result, typename... Args>
  Result Of(Args... args) {
    std::vector<ScalarValue> values(sizeof...(args));
    size_t i = 0;
    (values[i++].set(args), ...);
    ScalarValue result;
    EXPECT_TRUE(function_->Call(values, absl::MakeSpan(&result, 1)).ok());
    return result.get<Result>();
  }

 private:
  std::unique_ptr<Module> module_;
  Context context_;
  std::unique_ptr<ScalarFunction> function_;
};

TEST(ScalarFunction, ComputesChainsOfOperations) {
  Function f(
      "ENTRY e { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
      "c = f32[] constant(2)\n s = f32[] multiply(x, c)\n"
      "p = pred[] compare(s, y), direction=GT\n"
      "ROOT r = f32[] select(p, s, y) }");
  EXPECT_EQ((f.Of<float>(3.0f, 5.0f)), 6);
  EXPECT_EQ((f.Of<float>(2.0f, 5.0f)), 5);
}

TEST(ScalarFunction, ConvertsAndRoundsLikeTheKernels) {
  Function f(
      "ENTRY e { x = bf16[] parameter(0)\n y = s8[] parameter(1)\n"
      "z = bf16[] convert(y)\n s = bf16[] add(x, z)\n"
      "k = f32[] convert(s)\n"
      "ROOT r = f32[] reduce-precision(k), exponent_bits=8, mantissa_bits=3 }");
  EXPECT_EQ((f.Of<float>(BFloat16(256.0f), int8_t{1})), 256);
  EXPECT_EQ((f.Of<float>(BFloat16(17.0f), int8_t{0})), 16);
}

TEST(ScalarFunction, InlinesCallsAndTuples) {
  Function f(
      "g { p = s32[] parameter(0)\n n = s32[] negate(p)\n"
      "ROOT t = (s32[], s32[]) tuple(p, n) }\n"
      "ENTRY e { x = s32[] parameter(0)\n"
      "t = (s32[], s32[]) call(x), to_apply=g\n"
      "a = s32[] get-tuple-element(t), index=0\n"
      "b = s32[] get-tuple-element(t), index=1\n"
      "ROOT r = s32[] subtract(a, b) }");
  EXPECT_EQ((f.Of<int32_t>(4)), 8);
}

TEST(ScalarFunction, FallsBackToTheInterpreter) {
  Function f(
      "c { p = s32[] parameter(0)\n n = s32[] constant(100)\n"
      "ROOT r = pred[] compare(p, n), direction=LT }\n"
      "b { p = s32[] parameter(0)\n ROOT r = s32[] add(p, p) }\n"
      "ENTRY e { x = s32[] parameter(0)\n"
      "ROOT w = s32[] while(x), condition=c, body=b }");
  EXPECT_EQ((f.Of<int32_t>(3)), 192);
}

TEST(ScalarFunction, GivesTheElementsOfATuple) {
  Function f(
      "ENTRY e { x = f32[] parameter(0)\n i = s32[] parameter(1)\n"
      "y = f32[] parameter(2)\n j = s32[] parameter(3)\n"
      "p = pred[] compare(x, y), direction=GE\n"
      "v = f32[] select(p, x, y)\n k = s32[] select(p, i, j)\n"
      "ROOT t = (f32[], s32[]) tuple(v, k) }");
  ScalarValue arguments[4], results[2];
  arguments[0].set(1.0f);
  arguments[1].set(10);
  arguments[2].set(2.0f);
  arguments[3].set(20);
  ASSERT_TRUE((*f).Call(arguments, absl::MakeSpan(results)).ok());
  EXPECT_EQ(results[0].get<float>(), 2);
  EXPECT_EQ(results[1].get<int32_t>(), 20);
}

TEST(ScalarFunction, RefusesArrays) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { p = f32[2] parameter(0)\n"
      "ROOT n = f32[2] negate(p) }");
  ASSERT_TRUE(module.ok()) << module.status();
  Context context(ExecuteOptions{});
  EXPECT_FALSE(ScalarFunction::Create(context, *(*module)->entry()).ok());
}

TEST(ScalarFunction, RunsMillionsOfStepsASecond) {
  Function f(
      "ENTRY e { x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
      "ROOT r = f32[] add(x, y) }");
  ScalarValue arguments[2], result;
  arguments[0].set(0.0f);
  arguments[1].set(1.0f);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000000; ++i) {
    ASSERT_TRUE((*f).Call(arguments, absl::MakeSpan(&result, 1)).ok());
    arguments[0] = result;
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  EXPECT_EQ(result.get<float>(), 2000000);
  // Ten times what it takes without optimisation on a busy machine.
  EXPECT_LT(seconds.count(), 4);
  RecordProperty("steps_per_second",
                 std::to_string(2000000 / seconds.count()));
}

}  // namespace
}  // namespace hlokit::interpreter
