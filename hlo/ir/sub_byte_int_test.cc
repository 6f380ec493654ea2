#include "hlo/ir/sub_byte_int.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace hlokit {
namespace {

template <typename T>
class SubByteIntTest : public testing::Test {};
using AllTypes = testing::Types<S1, S2, S4, U1, U2, U4>;
TYPED_TEST_SUITE(SubByteIntTest, AllTypes);

// `value` modulo 2^bits, in the range of T.
template <typename T>
int Wrapped(int64_t value) {
  const int64_t modulus = int64_t{1} << T::kBits;
  while (value < T::kMin) value += modulus;
  while (value > T::kMax) value -= modulus;
  return static_cast<int>(value);
}

TYPED_TEST(SubByteIntTest, TakesOneByte) {
  EXPECT_EQ(sizeof(TypeParam), 1u);
  EXPECT_EQ(int{TypeParam()}, 0);
}

TYPED_TEST(SubByteIntTest, ConstructionFromIntegersWraps) {
  for (int64_t value = -300; value <= 300; ++value) {
    EXPECT_EQ(int{TypeParam(value)}, Wrapped<TypeParam>(value)) << value;
  }
  EXPECT_EQ(int{TypeParam(std::numeric_limits<uint64_t>::max())},
            Wrapped<TypeParam>(-1));
}

TYPED_TEST(SubByteIntTest, ConstructionFromFloatsSaturates) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double value : {-1e30, -kInfinity, -9.5, -1.9, -0.9, 0.0, 0.9, 1.9, 7.5,
                       15.9, 99.0, kInfinity, 1e30}) {
    const double clamped = std::fmin(
        std::fmax(std::trunc(value), TypeParam::kMin), TypeParam::kMax);
    EXPECT_EQ(int{TypeParam(value)}, clamped) << value;
    EXPECT_EQ(int{TypeParam(static_cast<float>(value))}, clamped) << value;
  }
  EXPECT_EQ(int{TypeParam(std::nan(""))}, 0);
}

TYPED_TEST(SubByteIntTest, ArithmeticIsModulo) {
  for (int a = TypeParam::kMin; a <= TypeParam::kMax; ++a) {
    for (int b = TypeParam::kMin; b <= TypeParam::kMax; ++b) {
      const TypeParam x(a), y(b);
      EXPECT_EQ(int{x + y}, Wrapped<TypeParam>(a + b));
      EXPECT_EQ(int{x - y}, Wrapped<TypeParam>(a - b));
      EXPECT_EQ(int{x * y}, Wrapped<TypeParam>(a * b));
      EXPECT_EQ(int{x & y}, Wrapped<TypeParam>(a & b));
      EXPECT_EQ(int{x ^ y}, Wrapped<TypeParam>(a ^ b));
      EXPECT_EQ(x < y, a < b);
      EXPECT_EQ(x == y, a == b);
      if (b == 0) continue;
      EXPECT_EQ(int{x / y}, Wrapped<TypeParam>(a / b));
      EXPECT_EQ(int{x % y}, Wrapped<TypeParam>(a % b));
    }
  }
}

TYPED_TEST(SubByteIntTest, LimitsAreTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(int{Limits::min()}, TypeParam::kMin);
  EXPECT_EQ(int{Limits::max()}, TypeParam::kMax);
  EXPECT_EQ(Limits::is_signed, IsSubByteInt<TypeParam>::is_signed);
}

TEST(SubByteIntRanges, AreThoseOfTwosComplement) {
  EXPECT_EQ(S1::kMin, -1);
  EXPECT_EQ(S1::kMax, 0);
  EXPECT_EQ(S2::kMin, -2);
  EXPECT_EQ(S4::kMin, -8);
  EXPECT_EQ(S4::kMax, 7);
  EXPECT_EQ(U1::kMax, 1);
  EXPECT_EQ(U4::kMax, 15);
}

}  // namespace
}  // namespace hlokit
