#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

TEST(Convolution, CorrelatesAndReversesOnDemand) {
  const Literal x = Numbers(kF32, {1, 1, 4}, {1, 2, 3, 4});
  const Literal w = Numbers(kF32, {1, 1, 2}, {1, 10});
  EXPECT_THAT(Values(RunOp("f32[1,1,3] convolution(a, b), window={size=2}, "
                           "dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(21, 32, 43));
  EXPECT_THAT(Values(RunOp("f32[1,1,3] convolution(a, b), "
                           "window={size=2 rhs_reversal=1}, "
                           "dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(12, 23, 34));
}

TEST(Convolution, PadsDilatesAndStrides) {
  const Literal x = Numbers(kS32, {1, 1, 3}, {1, 2, 3});
  const Literal w = Numbers(kS32, {1, 1, 2}, {1, 10});
  // Base 1 . 2 . 3, padded . 1 . 2 . 3 ., taps two apart: 0,2 / 2,4 / 4,6.
  EXPECT_THAT(Values(RunOp("s32[1,1,3] convolution(a, b), "
                           "window={size=2 stride=2 pad=1_1 lhs_dilate=2 "
                           "rhs_dilate=2}, dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(Values(RunOp("s32[1,1,5] convolution(a, b), "
                           "window={size=2 pad=1_1 lhs_dilate=2 "
                           "rhs_dilate=2}, dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(0, 21, 0, 32, 0));
  EXPECT_THAT(Values(RunOp("s32[1,1,1] convolution(a, b), "
                           "window={size=2 pad=-1_0}, "
                           "dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(32));
}

TEST(Convolution, DoesNotMultiplyPaddingWithInfinity) {
  const Literal x = Numbers(kF32, {1, 1, 1}, {2});
  const Literal w = Numbers(kF32, {1, 1, 2}, {INFINITY, 3});
  EXPECT_THAT(Values(RunOp("f32[1,1,1] convolution(a, b), "
                           "window={size=2 pad=1_0}, dim_labels=bf0_oi0->bf0",
                           {x, w})),
              ElementsAre(6));
}

TEST(Convolution, RunsInEveryNumericType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits < 4 || info.type == kPred || info.type == kF8E8M0FNU) {
      continue;
    }
    const Literal x = Numbers(info.type, {1, 3, 1}, {1, 0, 1});
    const Literal w = Numbers(info.type, {2, 1, 1}, {1, 2});
    EXPECT_EQ(RunOp(absl::StrCat(info.name,
                                 "[1,2,1] convolution(a, b), window={size=2}, "
                                 "dim_labels=b0f_0io->b0f"),
                    {x, w}),
              Numbers(info.type, {1, 2, 1}, {1, 2}))
        << info.name;
  }
}

TEST(Convolution, WrapsNarrowIntegers) {
  EXPECT_THAT(
      Values(RunOp("s8[1,1,1] convolution(a, b), window={size=1}, "
                   "dim_labels=bf0_oi0->bf0",
                   {Numbers(kS8, {1, 4, 1}, {10, 10, 10, 10}),
                    Numbers(kS8, {1, 4, 1}, {10, 10, 10, 10})})),
      ElementsAre(400 - 512));
}

TEST(Convolution, SeparatesFeatureGroups) {
  // Two input features, each with two outputs of its own.
  const Literal x = Numbers(kF32, {1, 2, 1}, {3, 5});
  const Literal w = Numbers(kF32, {4, 1, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(Values(RunOp("f32[1,4,1] convolution(a, b), window={size=1}, "
                           "dim_labels=bf0_oi0->bf0, feature_group_count=2",
                           {x, w})),
              ElementsAre(3, 30, 500, 5000));
}

TEST(Convolution, SeparatesBatchGroups) {
  // Batch 4 in two groups: feature 0 sees rows 0-1, feature 1 rows 2-3.
  const Literal x = Numbers(kF32, {4, 1, 1}, {1, 2, 3, 4});
  const Literal w = Numbers(kF32, {2, 1, 1}, {10, 100});
  EXPECT_THAT(Values(RunOp("f32[2,2,1] convolution(a, b), window={size=1}, "
                           "dim_labels=bf0_oi0->bf0, batch_group_count=2",
                           {x, w})),
              ElementsAre(10, 300, 20, 400));
}

TEST(Convolution, WithoutSpatialDimensionsIsAProduct) {
  EXPECT_THAT(Values(RunOp("f32[1,2] convolution(a, b), dim_labels=bf_io->bf",
                           {Numbers(kF32, {1, 2}, {1, 2}),
                            Numbers(kF32, {2, 2}, {1, 2, 3, 4})})),
              ElementsAre(7, 10));
}

// Every element by the definition, for odd labels and all of a window's
// numbers.
TEST(Convolution, AgreesWithTheDefinition) {
  const int64_t B = 2, I = 4, O = 6, H = 5, W = 6, KH = 2, KW = 3, G = 2;
  std::mt19937 random(5);
  std::uniform_int_distribution<int> draw(-5, 5);
  std::vector<double> x(H * I * B * W), k(O * KW * KH * I / G);
  for (double& v : x) v = draw(random);
  for (double& v : k) v = draw(random);
  // input 0fb1, kernel o1i0... output f01b
  const int64_t OH = (2 * (H - 1) + 1 + 1 + 2 - 4) / 2 + 1;  // = 5
  const int64_t OW = (W - 1 + 0 - 3) / 1 + 1;                // = 3
  std::vector<double> want;
  for (int64_t o = 0; o < O; ++o) {
    for (int64_t oh = 0; oh < OH; ++oh) {
      for (int64_t ow = 0; ow < OW; ++ow) {
        for (int64_t b = 0; b < B; ++b) {
          double sum = 0;
          for (int64_t i = 0; i < I / G; ++i) {
            for (int64_t kh = 0; kh < KH; ++kh) {
              for (int64_t kw = 0; kw < KW; ++kw) {
                const int64_t h = oh * 2 - 1 + kh * 3, w = ow + 1 + kw;
                if (h < 0 || h % 2 != 0 || h / 2 >= H || w >= W) continue;
                const int64_t feature = o / (O / G) * (I / G) + i;
                sum += x[((h / 2 * I + feature) * B + b) * W + w] *
                       k[((o * KW + kw) * (I / G) + i) * KH + (KH - 1 - kh)];
              }
            }
          }
          want.push_back(sum);
        }
      }
    }
  }
  const Literal got = RunOp(
      absl::StrCat("f64[6,", OH, ",", OW,
                   ",2] convolution(a, b), window={size=2x3 stride=2x1 "
                   "pad=1_2x-1_0 lhs_dilate=2x1 rhs_dilate=3x1 "
                   "rhs_reversal=1x0}, dim_labels=0fb1_o1i0->f01b, "
                   "feature_group_count=2"),
      {Numbers(kF64, {H, I, B, W}, x), Numbers(kF64, {O, KW, I / G, KH}, k)});
  EXPECT_EQ(Values(got), want);
}

}  // namespace
}  // namespace hlokit::interpreter
