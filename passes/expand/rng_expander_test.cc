#include "passes/expand/rng_expander.h"

#include "cmath"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::vector<double> Draw(absl::string_view type, absl::string_view sizes,
                         absl::string_view a, absl::string_view b,
                         absl::string_view distribution) {
  auto module = ParseOrDie(absl::StrCat(
      "ENTRY e {\n a = ", type, "[] constant(", a, ")\n b = ", type,
      "[] constant(", b, ")\n ROOT r = ", type, sizes,
      " rng(a, b), distribution=", distribution, "\n}"));
  RngExpander pass;
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(CountOf(*module, Opcode::kRng), 0);
  const auto value = ExecuteModule(*module, {});
  EXPECT_TRUE(value.ok()) << value.status();
  std::vector<double> numbers;
  for (int64_t i = 0; value.ok() && i < value->element_count(); ++i) {
    numbers.push_back(value->GetAsDouble(i));
  }
  return numbers;
}

double Mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double x : numbers) sum += x;
  return sum / numbers.size();
}

double Variance(const std::vector<double>& numbers) {
  const double mean = Mean(numbers);
  double sum = 0;
  for (double x : numbers) sum += (x - mean) * (x - mean);
  return sum / numbers.size();
}

TEST(RngExpanderTest, UniformFloatsFillTheirRange) {
  for (const char* type : {"bf16", "f16", "f32", "f64", "f8e5m2"}) {
    SCOPED_TRACE(type);
    const auto numbers = Draw(type, "[100,100]", "-1", "3", "rng_uniform");
    ASSERT_EQ(numbers.size(), 10000u);
    for (double x : numbers) {
      ASSERT_GE(x, -1);
      ASSERT_LT(x, 3);
    }
    EXPECT_NEAR(Mean(numbers), 1, type[1] == '8' ? 0.6 : 0.05);
    EXPECT_NEAR(Variance(numbers), 16. / 12, type[1] == '8' ? 0.4 : 0.06);
  }
}

TEST(RngExpanderTest, UniformIntegersFillTheirRange) {
  for (const char* type : {"s8", "u8", "s16", "u32", "s64", "u64"}) {
    SCOPED_TRACE(type);
    const bool is_signed = type[0] == 's';
    const auto numbers = Draw(type, "[10001]", is_signed ? "-50" : "10",
                              is_signed ? "50" : "110", "rng_uniform");
    for (double x : numbers) {
      ASSERT_GE(x, is_signed ? -50 : 10);
      ASSERT_LT(x, is_signed ? 50 : 110);
    }
    EXPECT_NEAR(Mean(numbers), is_signed ? -0.5 : 59.5, 1.5);
    EXPECT_NEAR(Variance(numbers), 833, 40);
  }
}

TEST(RngExpanderTest, EmptyRangesGiveTheirStart) {
  EXPECT_THAT(Draw("s32", "[3]", "5", "5", "rng_uniform"),
              testing::ElementsAre(5, 5, 5));
  EXPECT_THAT(Draw("f32", "[2]", "5", "5", "rng_uniform"),
              testing::ElementsAre(5, 5));
}

TEST(RngExpanderTest, NormalNumbersHaveTheirMoments) {
  for (const char* type : {"bf16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    const auto numbers = Draw(type, "[10001]", "2", "3", "rng_normal");
    EXPECT_NEAR(Mean(numbers), 2, 0.15);
    EXPECT_NEAR(Variance(numbers), 9, 0.6);
  }
}

TEST(RngExpanderTest, TakesPredScalarsAndEmptyArrays) {
  EXPECT_NEAR(Mean(Draw("pred", "[2000]", "false", "true", "rng_uniform")),
              0.5, 0.06);
  EXPECT_EQ(Draw("f32", "[]", "0", "1", "rng_uniform").size(), 1u);
  EXPECT_EQ(Draw("f32", "[0]", "0", "1", "rng_normal").size(), 0u);
}

TEST(RngExpanderTest, TwoInstructionsDrawDifferentNumbers) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(1)
  x = f32[100] rng(a, b), distribution=rng_uniform
  y = f32[100] rng(a, b), distribution=rng_uniform
  ROOT r = f32[100] subtract(x, y)
})");
  RngExpander pass;
  RunPass(&pass, module.get(), true);
  const auto value = ExecuteModule(*module, {});
  ASSERT_TRUE(value.ok()) << value.status();
  int equal = 0;
  for (float x : value->data<float>()) equal += x == 0;
  EXPECT_LT(equal, 3);
}

TEST(RngExpanderTest, LeavesBitGeneratorsAlone) {
  ExpectUnchangedBy<RngExpander>(R"(
ENTRY e {
  s = u64[2] constant({1, 2})
  ROOT r = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_philox
})");
}

}  // namespace
}  // namespace hlokit
