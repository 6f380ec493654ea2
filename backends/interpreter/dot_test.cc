#include <complex>
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

constexpr char kMatMul[] =
    " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";

TEST(Dot, MultipliesMatricesOfEveryNumericType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits < 4 || info.type == kPred || info.type == kF8E8M0FNU) {
      continue;
    }
    const Literal a = Numbers(info.type, {2, 2}, {1, 2, 0, 1});
    const Literal b = Numbers(info.type, {2, 2}, {1, 0, 1, 2});
    EXPECT_EQ(RunOp(absl::StrCat(info.name, "[2,2]", kMatMul), {a, b}),
              Numbers(info.type, {2, 2}, {3, 4, 1, 2}))
        << info.name;
  }
}

TEST(Dot, OfPredsIsAnOrOfAnds) {
  EXPECT_THAT(Values(RunOp(absl::StrCat("pred[2,1]", kMatMul),
                           {Numbers(kPred, {2, 2}, {1, 1, 0, 1}),
                            Numbers(kPred, {2, 1}, {1, 0})})),
              ElementsAre(1, 0));
}

TEST(Dot, OfIntegersIsExactOrWraps) {
  const Literal a = Numbers(kS8, {1, 2}, {127, -128});
  const Literal b = Numbers(kS8, {2, 1}, {127, 127});
  EXPECT_THAT(Values(RunOp(absl::StrCat("s32[1,1]", kMatMul), {a, b})),
              ElementsAre(-127));
  EXPECT_THAT(Values(RunOp(absl::StrCat("s8[1,1]", kMatMul), {a, b})),
              ElementsAre(-127));
  EXPECT_THAT(
      Values(RunOp(absl::StrCat("s8[1,1]", kMatMul),
                   {Numbers(kS8, {1, 2}, {30, 30}), Numbers(kS8, {2, 1}, {20, 20})})),
      ElementsAre(-80));
  const Literal large = Literal::Array<int64_t>({1, 1}, {int64_t{1} << 40});
  EXPECT_EQ(RunOp(absl::StrCat("s64[1,1]", kMatMul), {large, large})
                .GetAsInt64(0),
            0);
  EXPECT_THAT(
      Values(RunOp(absl::StrCat("s32[1,1]", kMatMul),
                   {Numbers(kS4, {1, 2}, {-8, 7}), Numbers(kS4, {2, 1}, {-8, 7})})),
      ElementsAre(113));
}

TEST(Dot, AccumulatesNarrowFloatsInF32) {
  const std::vector<double> ones(300, 1);
  for (PrimitiveType type : {kBF16, kF16}) {
    EXPECT_THAT(Values(RunOp(absl::StrCat(PrimitiveTypeName(type), "[1,1]",
                                          kMatMul),
                             {Numbers(type, {1, 300}, ones),
                              Numbers(type, {300, 1}, ones)})),
                ElementsAre(300));
  }
  EXPECT_THAT(Values(RunOp(absl::StrCat("f32[1,1]", kMatMul),
                           {Numbers(kF8E4M3FN, {1, 2}, {448, 448}),
                            Numbers(kF8E5M2, {2, 1}, {2, 2})})),
              ElementsAre(1792));
}

TEST(Dot, MultipliesComplexNumbers) {
  using C = std::complex<float>;
  const Literal a = Literal::Array<C>({1, 2}, {C(1, 2), C(0, 1)});
  const Literal b = Literal::Array<C>({2, 1}, {C(3, -1), C(2, 5)});
  // (1+2i)(3-i) + i(2+5i) = 5+5i - 5+2i
  EXPECT_THAT(Values(RunOp(absl::StrCat("c64[1,1]", kMatMul), {a, b})),
              ElementsAre(0, 7));
}

TEST(Dot, OrdersBatchThenLhsThenRhsDimensions) {
  // lhs[k,b,m], rhs[n,b,k]
  const int B = 2, M = 3, N = 2, K = 4;
  std::vector<double> lhs(K * B * M), rhs(N * B * K), want;
  for (size_t i = 0; i < lhs.size(); ++i) lhs[i] = (i * 7) % 11;
  for (size_t i = 0; i < rhs.size(); ++i) rhs[i] = (i * 5) % 13;
  for (int b = 0; b < B; ++b) {
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        double sum = 0;
        for (int k = 0; k < K; ++k) {
          sum += lhs[(k * B + b) * M + m] * rhs[(n * B + b) * K + k];
        }
        want.push_back(sum);
      }
    }
  }
  const Literal got = RunOp(
      "f64[2,3,2] dot(a, b), lhs_batch_dims={1}, lhs_contracting_dims={0}, "
      "rhs_batch_dims={1}, rhs_contracting_dims={2}",
      {Numbers(kF64, {K, B, M}, lhs), Numbers(kF64, {N, B, K}, rhs)});
  EXPECT_EQ(Values(got), want);
}

TEST(Dot, TakesVectorsSeveralContractionsAndNone) {
  const Literal a = Numbers(kF32, {2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(Values(RunOp("f32[] dot(a, b), lhs_contracting_dims={0,1}, "
                           "rhs_contracting_dims={1,0}",
                           {a, a})),
              ElementsAre(1 + 2 * 3 + 3 * 2 + 16));
  EXPECT_THAT(Values(RunOp("f32[2,2] dot(a, b), lhs_contracting_dims={}, "
                           "rhs_contracting_dims={}",
                           {Vector(kF32, {1, 2}), Vector(kF32, {3, 4})})),
              ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(Values(RunOp(absl::StrCat("f32[2,1]", kMatMul),
                           {Numbers(kF32, {2, 0}, {}), Numbers(kF32, {0, 1}, {})})),
              ElementsAre(0, 0));
}

TEST(Dot, OfLargeMatricesAgreesWithASumOfProducts) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  const int64_t m = 70, n = 600, k = 300;
  std::vector<double> a(m * k), b(k * n);
  for (double& x : a) x = static_cast<float>(draw(random));
  for (double& x : b) x = static_cast<float>(draw(random));
  const Literal got =
      RunOp(absl::StrCat("f32[70,600]", kMatMul),
            {Numbers(kF32, {m, k}, a), Numbers(kF32, {k, n}, b)});
  for (int64_t i : {0, 33, 69}) {
    for (int64_t j : {0, 511, 512, 599}) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      EXPECT_NEAR(got.GetAsDouble(i * n + j), sum, 1e-4);
    }
  }
}

TEST(Dot, RefusesOperandsThatDoNotFit) {
  EXPECT_FALSE(OpError(absl::StrCat("f32[2,2]", kMatMul),
                       {Numbers(kF32, {2, 1}, {1, 2}),
                        Numbers(kF32, {2, 2}, {1, 2, 3, 4})})
                   .ok());
}

// --- ragged-dot ---

TEST(RaggedDot, GivesEachGroupOfRowsItsOwnMatrix) {
  // Rows 0-1 meet the first matrix, row 2 the third, row 3 none.
  const Literal got = RunOp(
      "f32[4,1] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
      {Numbers(kF32, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
       Numbers(kF32, {3, 2, 1}, {1, 1, 9, 9, 2, 3}),
       Vector(kS32, {2, 0, 1})});
  EXPECT_THAT(Values(got), ElementsAre(3, 7, 28, 0));
}

TEST(RaggedDot, CutsGroupsThatReachBeyondTheRows) {
  const Literal got = RunOp(
      "s32[2,1] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
      {Numbers(kS32, {2, 1}, {1, 2}), Numbers(kS32, {2, 1, 1}, {10, 20}),
       Vector(kS64, {1, 100})});
  EXPECT_THAT(Values(got), ElementsAre(10, 40));
}

TEST(RaggedDot, SumsEachGroupOfAContractedDimensionByItself) {
  const Literal got = RunOp(
      "f32[2,1,2] ragged-dot(a, b, c), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, lhs_ragged_dims={1}",
      {Numbers(kF32, {1, 4}, {1, 2, 3, 4}),
       Numbers(kF32, {4, 2}, {1, 10, 1, 10, 1, 10, 1, 10}),
       Vector(kS32, {1, 2})});
  EXPECT_THAT(Values(got), ElementsAre(1, 10, 5, 50));
}

TEST(RaggedDot, TakesGroupSizesForEachOuterRow) {
  // lhs[2,2,1]: in row 0 groups (1,1), in row 1 (2,0).
  const Literal got = RunOp(
      "f32[2,2,1] ragged-dot(a, b, c), lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}",
      {Numbers(kF32, {2, 2, 1}, {1, 2, 3, 4}),
       Numbers(kF32, {2, 1, 1}, {10, 100}), Numbers(kS32, {2, 2}, {1, 1, 2, 0})});
  EXPECT_THAT(Values(got), ElementsAre(10, 200, 30, 40));
}

TEST(RaggedDot, OfGroupedBatchesIsADot) {
  const Literal got = RunOp(
      "f32[2,1,1] ragged-dot(a, b, c), lhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
      "rhs_contracting_dims={1}, lhs_ragged_dims={0}",
      {Numbers(kF32, {2, 1, 1}, {2, 3}), Numbers(kF32, {2, 1, 1}, {5, 7}),
       Vector(kS32, {1, 1})});
  EXPECT_THAT(Values(got), ElementsAre(10, 21));
}

// --- scaled-dot ---

TEST(ScaledDot, MultipliesBlocksByTheirScales) {
  // Blocks of two along k: scales 2, 1 for the rows of lhs; 1, 4 for rhs.
  const Literal lhs = Numbers(kF8E4M3FN, {1, 4}, {1, 2, 3, 4});
  const Literal rhs = Numbers(kF8E4M3FN, {4, 1}, {1, 1, 1, 1});
  const Literal lhs_scale = Numbers(kF8E8M0FNU, {1, 2}, {2, 1});
  const Literal rhs_scale = Numbers(kF8E8M0FNU, {2, 1}, {1, 4});
  const char* line =
      "f32[1,1] scaled-dot(a, b, c, d), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}";
  EXPECT_THAT(Values(RunOp(line, {lhs, rhs, lhs_scale, rhs_scale})),
              ElementsAre(6 + 28));
  // A scalar is no scale, whatever its value.
  EXPECT_THAT(
      Values(RunOp(line, {lhs, rhs, lhs_scale, Numbers(kF8E8M0FNU, {}, {8})})),
      ElementsAre(6 + 7));
  // Two scalars would make it a plain dot, which HLO does not allow.
  EXPECT_ANY_THROW(RunOp(line, {lhs, rhs, Numbers(kBF16, {}, {8}),
                                Numbers(kBF16, {}, {8})}));
}

}  // namespace
}  // namespace hlokit::interpreter
