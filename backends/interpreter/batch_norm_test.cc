#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

// Feature 0 holds 1, 3; feature 1 holds 10, 10.
Literal Input(PrimitiveType type) {
  return Numbers(type, {2, 2}, {1, 10, 3, 10});
}

TEST(BatchNorm, NormalizesEachFeatureInTraining) {
  for (PrimitiveType type : {kF32, kF64, kBF16, kF16}) {
    const std::string t(PrimitiveTypeName(type));
    const Literal result =
        RunOp(absl::StrCat("(", t, "[2,2], ", t, "[2], ", t,
                           "[2]) batch-norm-training(a, b, c), epsilon=3, "
                           "feature_index=1"),
              {Input(type), Vector(type, {4, 5}), Vector(type, {1, 7})});
    ASSERT_EQ(result.elements().size(), 3u);
    // (x - 2) * 4 / sqrt(1 + 3) + 1
    EXPECT_THAT(Values(result.elements()[0]), ElementsAre(-1, 7, 3, 7)) << t;
    EXPECT_THAT(Values(result.elements()[1]), ElementsAre(2, 10));
    EXPECT_THAT(Values(result.elements()[2]), ElementsAre(1, 0));
  }
}

TEST(BatchNorm, UsesGivenMomentsInInference) {
  for (PrimitiveType type : {kF32, kF64, kBF16, kF16}) {
    const std::string t(PrimitiveTypeName(type));
    EXPECT_THAT(
        Values(RunOp(absl::StrCat(t, "[2,2] batch-norm-inference(a, b, c, d, "
                                     "e), epsilon=1, feature_index=1"),
                     {Input(type), Vector(type, {2, 1}), Vector(type, {0, 5}),
                      Vector(type, {1, 8}), Vector(type, {3, 0})})),
        ElementsAre(0, 7, 2, 7))
        << t;
  }
}

// The loss sum(g * y) as a function of the inputs, by small differences.
TEST(BatchNorm, GivesGradientsThatDifferencesConfirm) {
  const std::vector<double> x = {1, 4, 2, -1, 3, 0.5};  // [3,1,2], feature 2
  const std::vector<double> scale = {1.5, -2}, offset = {0.5, 1};
  const std::vector<double> g = {1, -2, 0.5, 3, -1, 2};
  const auto loss = [&](const std::vector<double>& in,
                        const std::vector<double>& s,
                        const std::vector<double>& o) {
    double sum = 0;
    for (int f = 0; f < 2; ++f) {
      double mean = 0, variance = 0;
      for (int i = 0; i < 3; ++i) mean += in[2 * i + f] / 3;
      for (int i = 0; i < 3; ++i) {
        variance += std::pow(in[2 * i + f] - mean, 2) / 3;
      }
      for (int i = 0; i < 3; ++i) {
        sum += g[2 * i + f] *
               ((in[2 * i + f] - mean) / std::sqrt(variance + 0.25) * s[f] +
                o[f]);
      }
    }
    return sum;
  };
  const Literal forward = RunOp(
      "(f64[3,1,2], f64[2], f64[2]) batch-norm-training(a, b, c), "
      "epsilon=0.25, feature_index=2",
      {Numbers(kF64, {3, 1, 2}, x), Vector(kF64, scale), Vector(kF64, offset)});
  const Literal result = RunOp(
      "(f64[3,1,2], f64[2], f64[2]) batch-norm-grad(a, b, c, d, e), "
      "epsilon=0.25, feature_index=2",
      {Numbers(kF64, {3, 1, 2}, x), Vector(kF64, scale), forward.elements()[1],
       forward.elements()[2], Numbers(kF64, {3, 1, 2}, g)});
  ASSERT_EQ(result.elements().size(), 3u);
  const double h = 1e-5;
  for (int i = 0; i < 6; ++i) {
    auto up = x, down = x;
    up[i] += h;
    down[i] -= h;
    EXPECT_NEAR(result.elements()[0].GetAsDouble(i),
                (loss(up, scale, offset) - loss(down, scale, offset)) / (2 * h),
                1e-7);
  }
  for (int f = 0; f < 2; ++f) {
    auto up = scale, down = scale;
    up[f] += h;
    down[f] -= h;
    EXPECT_NEAR(result.elements()[1].GetAsDouble(f),
                (loss(x, up, offset) - loss(x, down, offset)) / (2 * h), 1e-7);
    EXPECT_NEAR(result.elements()[2].GetAsDouble(f), g[f] + g[2 + f] + g[4 + f],
                1e-12);
  }
}

}  // namespace
}  // namespace hlokit::interpreter
