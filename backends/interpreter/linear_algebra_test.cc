#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

// Equal as numbers: the sign of a zero part is not defined by these operations.
bool SameNumbers(const Literal& a, const Literal& b) {
  if (a.shape() != b.shape()) return false;
  return DispatchArrayType(a.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = a.data<T>(), y = b.data<T>();
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  });
}

TEST(Cholesky, FactorsEveryFloatType) {
  // l = {2 0; 1 3}
  for (PrimitiveType type : {kF32, kF64, kBF16, kF16, kC64, kC128}) {
    const std::string shape = absl::StrCat(PrimitiveTypeName(type), "[2,2]");
    // The upper triangle is not looked at.
    EXPECT_PRED2(SameNumbers,
                 RunOp(absl::StrCat(shape, " cholesky(a), lower=true"),
                       {Numbers(type, {2, 2}, {4, 99, 2, 10})}),
                 Numbers(type, {2, 2}, {2, 0, 1, 3}))
        << shape;
    EXPECT_PRED2(SameNumbers,
                 RunOp(absl::StrCat(shape, " cholesky(a), lower=false"),
                       {Numbers(type, {2, 2}, {4, 2, 99, 10})}),
                 Numbers(type, {2, 2}, {2, 1, 0, 3}))
        << shape;
  }
}

TEST(Cholesky, ConjugatesComplexMatrices) {
  using C = std::complex<double>;
  // l = {1 0; 1-2i 2}, l l^H = {1 1+2i; 1-2i 9}
  const Literal a = Literal::Array<C>({2, 2}, {1, C(1, 2), C(1, -2), 9});
  EXPECT_EQ(RunOp("c128[2,2] cholesky(a), lower=true", {a}),
            Literal::Array<C>({2, 2}, {1, 0, C(1, -2), 2}));
  const Literal upper = RunOp("c128[2,2] cholesky(a), lower=false", {a});
  EXPECT_EQ(upper.data<C>()[1], C(1, 2));
  EXPECT_EQ(upper.data<C>()[2], C(0, 0));
}

TEST(Cholesky, OfAnIndefiniteMatrixOfABatchIsNan) {
  const Literal got =
      RunOp("f32[2,2,2] cholesky(a), lower=true",
            {Numbers(kF32, {2, 2, 2}, {1, 2, 2, 1, 9, 0, 0, 16})});
  const auto values = Values(got);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(values[i]));
  EXPECT_THAT(std::vector<double>(values.begin() + 4, values.end()),
              ElementsAre(3, 0, 0, 4));
}

// Solves with {2 0; 3 4} and its transpose.
TEST(TriangularSolve, SolvesOnEitherSideOfEveryFloatType) {
  for (PrimitiveType type : {kF32, kF64, kBF16, kF16, kC64, kC128}) {
    const Literal a = Numbers(type, {2, 2}, {2, 77, 3, 4});
    const std::string shape = PrimitiveTypeName(type).data();
    // a x = (2, 11): x = (1, 2)
    EXPECT_EQ(RunOp(absl::StrCat(shape,
                                 "[2,1] triangular-solve(a, b), left_side=true, "
                                 "lower=true, transpose_a=NO_TRANSPOSE"),
                    {a, Numbers(type, {2, 1}, {2, 11})}),
              Numbers(type, {2, 1}, {1, 2}))
        << shape;
    // a^T x = (8, 8): x = (1, 2)
    EXPECT_EQ(RunOp(absl::StrCat(shape,
                                 "[2,1] triangular-solve(a, b), left_side=true, "
                                 "lower=true, transpose_a=TRANSPOSE"),
                    {a, Numbers(type, {2, 1}, {8, 8})}),
              Numbers(type, {2, 1}, {1, 2}))
        << shape;
    // x a = (8, 8)
    EXPECT_EQ(RunOp(absl::StrCat(shape,
                                 "[1,2] triangular-solve(a, b), lower=true, "
                                 "transpose_a=NO_TRANSPOSE"),
                    {a, Numbers(type, {1, 2}, {8, 8})}),
              Numbers(type, {1, 2}, {1, 2}))
        << shape;
    // x a^T = (2, 11)
    EXPECT_EQ(RunOp(absl::StrCat(shape,
                                 "[1,2] triangular-solve(a, b), lower=true, "
                                 "transpose_a=TRANSPOSE"),
                    {a, Numbers(type, {1, 2}, {2, 11})}),
              Numbers(type, {1, 2}, {1, 2}))
        << shape;
  }
}

TEST(TriangularSolve, TakesUpperTrianglesUnitDiagonalsAndBatches) {
  const Literal a = Numbers(kF64, {2, 2, 2}, {5, 3, 9, 7, 5, 4, 9, 7});
  // Diagonals count as ones: x1 = b1, x0 = b0 - u x1.
  EXPECT_THAT(
      Values(RunOp("f64[2,2,1] triangular-solve(a, b), left_side=true, "
                   "lower=false, unit_diagonal=true, transpose_a=NO_TRANSPOSE",
                   {a, Numbers(kF64, {2, 2, 1}, {7, 2, 9, 1})})),
      ElementsAre(1, 2, 5, 1));
}

TEST(TriangularSolve, ConjugatesForTheAdjoint) {
  using C = std::complex<double>;
  // conj(i) x = 2  =>  x = 2i
  EXPECT_PRED2(SameNumbers,
               RunOp("c128[1,1] triangular-solve(a, b), left_side=true, "
                     "lower=true, transpose_a=ADJOINT",
                     {Literal::Array<C>({1, 1}, {C(0, 1)}),
                      Literal::Array<C>({1, 1}, {2})}),
               Literal::Array<C>({1, 1}, {C(0, 2)}));
}

TEST(TriangularSolve, GivesNanForZeroPivots) {
  const auto values =
      Values(RunOp("f32[2,1] triangular-solve(a, b), left_side=true, "
                   "lower=true, transpose_a=NO_TRANSPOSE",
                   {Numbers(kF32, {2, 2}, {1, 0, 1, 0}),
                    Numbers(kF32, {2, 1}, {1, 5})}));
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
}

}  // namespace
}  // namespace hlokit::interpreter
