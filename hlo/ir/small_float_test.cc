#include "hlo/ir/small_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit {
namespace {

template <typename T>
class SmallFloatTest : public testing::Test {};
using AllTypes = testing::Types<F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3,
                                F8E4M3FN, F8E4M3B11FNUZ, F8E4M3FNUZ, F8E5M2,
                                F8E5M2FNUZ, F8E8M0FNU, BFloat16, Half>;
TYPED_TEST_SUITE(SmallFloatTest, AllTypes);

template <typename T>
constexpr int kCodes = 1 << T::kBits;

template <typename T>
T FromCode(int code) {
  return T::FromBits(static_cast<typename T::Bits>(code));
}

// What a code means by the format's definition, with library arithmetic.
template <typename T>
double ValueByDefinition(int code) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const int top = 1 << T::kExponentBits;
  const int mantissa = code & ((1 << T::kMantissaBits) - 1);
  const int exponent = code >> T::kMantissaBits & (top - 1);
  if constexpr (T::kKind == SmallFloatKind::kE8M0) {
    return code == 255 ? nan : std::ldexp(1.0, code - 127);
  }
  const bool negative = code >> (T::kBits - 1);
  const bool all_ones =
      exponent == top - 1 && mantissa == (1 << T::kMantissaBits) - 1;
  double magnitude = exponent == 0
                         ? std::ldexp(mantissa, 1 - T::kBias - T::kMantissaBits)
                         : std::ldexp(mantissa + (1 << T::kMantissaBits),
                                      exponent - T::kBias - T::kMantissaBits);
  if (T::kKind == SmallFloatKind::kIeee && exponent == top - 1) {
    magnitude = mantissa ? nan : std::numeric_limits<double>::infinity();
  }
  if (T::kKind == SmallFloatKind::kFiniteNan && all_ones) magnitude = nan;
  if (T::kKind == SmallFloatKind::kFnuz && negative && magnitude == 0) {
    magnitude = nan;
  }
  return negative ? -magnitude : magnitude;
}

// A slow conversion by search among all values.
template <typename T>
class Reference {
 public:
  Reference() {
    for (int code = 0; code < kCodes<T>; ++code) {
      const double value = ValueByDefinition<T>(code);
      if (std::isfinite(value) && !std::signbit(value)) codes_[value] = code;
    }
  }

  int Convert(double value) const {
    const int sign = T::kHasSign && std::signbit(value) ? kCodes<T> / 2 : 0;
    if (std::isnan(value)) return Nan(std::signbit(value));
    if (T::kKind == SmallFloatKind::kE8M0 &&
        (value <= 0 || std::isinf(value))) {
      return Nan(false);
    }
    const int magnitude = Magnitude(std::fabs(value));
    if (magnitude < 0) return Overflow(std::signbit(value));
    if (magnitude == 0 && T::kKind == SmallFloatKind::kFnuz) return 0;
    return sign | magnitude;
  }

 private:
  static int Nan(bool negative) {
    switch (T::kKind) {
      case SmallFloatKind::kIeee: {
        const int code = ((1 << T::kExponentBits) - 1) << T::kMantissaBits |
                         (1 << T::kMantissaBits) / 2;
        return code | (negative ? kCodes<T> / 2 : 0);
      }
      case SmallFloatKind::kFiniteNan:
        return (negative ? kCodes<T> : kCodes<T> / 2) - 1;
      case SmallFloatKind::kFnuz:
        return kCodes<T> / 2;
      case SmallFloatKind::kFinite:
        return negative ? 0 : kCodes<T> / 2;
      case SmallFloatKind::kE8M0:
        return 255;
    }
    return -1;
  }

  static int Overflow(bool negative) {
    const int sign = negative ? kCodes<T> / 2 : 0;
    switch (T::kKind) {
      case SmallFloatKind::kIeee:
        return sign | ((1 << T::kExponentBits) - 1) << T::kMantissaBits;
      case SmallFloatKind::kFinite:
        return sign | (kCodes<T> / 2 - 1);
      default:
        return Nan(negative);
    }
  }

  // The nearest code, or -1 beyond all. Where the next value would be if the
  // exponent went on counts as a value that overflows.
  int Magnitude(double value) const {
    auto above = codes_.lower_bound(value);
    double high;
    int high_code;
    if (above == codes_.end()) {
      auto last = std::prev(codes_.end());
      high = last->first + Spacing(last->first);
      high_code = -1;
      if (value >= high) return -1;
    } else {
      high = above->first;
      high_code = above->second;
    }
    if (above == codes_.begin()) return high_code;
    auto below = std::prev(above);
    // Exact: the numbers are short.
    const long double to_low = static_cast<long double>(value) - below->first;
    const long double to_high = static_cast<long double>(high) - value;
    if (to_low < to_high) return below->second;
    if (to_low > to_high) return high_code;
    if (T::kKind == SmallFloatKind::kE8M0) return high_code;
    return below->second % 2 == 0 ? below->second : high_code;
  }

  static double Spacing(double value) {
    return std::ldexp(1.0, std::ilogb(value) - T::kMantissaBits);
  }

  std::map<double, int> codes_;
};

TYPED_TEST(SmallFloatTest, EveryCodeMeansWhatTheFormatSays) {
  for (int code = 0; code < kCodes<TypeParam>; ++code) {
    const double expected = ValueByDefinition<TypeParam>(code);
    const TypeParam x = FromCode<TypeParam>(code);
    const float value = x;
    ASSERT_EQ(std::isnan(value), std::isnan(expected)) << code;
    ASSERT_EQ(x.IsNan(), std::isnan(expected)) << code;
    ASSERT_EQ(x.IsInfinite(), std::isinf(expected)) << code;
    if (!std::isnan(expected)) {
      ASSERT_EQ(value, expected) << code;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << code;
    }
  }
}

TYPED_TEST(SmallFloatTest, EveryCodeSurvivesTheWayThroughWiderTypes) {
  for (int code = 0; code < kCodes<TypeParam>; ++code) {
    const TypeParam x = FromCode<TypeParam>(code);
    if (x.IsNan()) {
      EXPECT_TRUE(TypeParam(float{x}).IsNan()) << code;
      EXPECT_EQ(TypeParam(float{x}).IsNegative(), x.IsNegative()) << code;
      continue;
    }
    EXPECT_EQ(TypeParam(float{x}).bits(), code);
    EXPECT_EQ(TypeParam(double{x}).bits(), code);
  }
}

TYPED_TEST(SmallFloatTest, EveryHalfConvertsToTheNearest) {
  const Reference<TypeParam> reference;
  for (int code = 0; code < 65536; ++code) {
    const Half half = FromCode<Half>(code);
    if (half.IsNan() && TypeParam::kBits > 8) continue;  // payloads
    const int expected = reference.Convert(ValueByDefinition<Half>(code));
    ASSERT_EQ(TypeParam(half).bits(), expected) << code << " " << float{half};
  }
}

// The one range where floats do not go to the nearest value.
template <typename T>
bool RoundsUp(float value) {
  return T::kKind == SmallFloatKind::kE8M0 && value > 0 &&
         value < std::numeric_limits<float>::min();
}

// All float values are too many: those around every boundary between two codes.
TYPED_TEST(SmallFloatTest, FloatsAroundEveryTieConvertToTheNearest) {
  const Reference<TypeParam> reference;
  for (int code = 0; code + 1 < kCodes<TypeParam>; ++code) {
    const double low = ValueByDefinition<TypeParam>(code);
    const double high = ValueByDefinition<TypeParam>(code + 1);
    const bool last =
        !std::isfinite(high) || std::signbit(high) != std::signbit(low);
    const double step =
        std::ldexp(low, TypeParam::kKind == SmallFloatKind::kE8M0
                            ? -1
                            : -TypeParam::kMantissaBits - 1);
    const float tie = static_cast<float>(last ? low + step : (low + high) / 2);
    if (!std::isfinite(tie)) continue;
    const float infinity = std::numeric_limits<float>::infinity();
    for (float value :
         {tie, std::nextafter(tie, infinity), std::nextafter(tie, -infinity)}) {
      if (!RoundsUp<TypeParam>(value)) {
        ASSERT_EQ(TypeParam(value).bits(), reference.Convert(value)) << value;
      }
      ASSERT_EQ(TypeParam(double{value}).bits(), reference.Convert(value))
          << value;
    }
  }
}

TYPED_TEST(SmallFloatTest, SpecialFloatsConvert) {
  const Reference<TypeParam> reference;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (float value : {kInfinity, -kInfinity, kNan, -kNan, 0.0f, -0.0f, 3.4e38f,
                      -3.4e38f, 1e-45f, -1e-45f, 1.2e-38f, 2e-39f}) {
    EXPECT_EQ(TypeParam(value).bits(), reference.Convert(value)) << value;
  }
  for (double value : {double{kInfinity}, double{kNan}, -double{kNan}, 1e300,
                       -1e300, 5e-324, -5e-324, 0.0, -0.0}) {
    EXPECT_EQ(TypeParam(value).bits(), reference.Convert(value)) << value;
  }
}

TYPED_TEST(SmallFloatTest, LimitsAreTheExtremesOfTheFiniteValues) {
  double max = 0, lowest = 1e300, positive = 1e300;
  for (int code = 0; code < kCodes<TypeParam>; ++code) {
    const double value = ValueByDefinition<TypeParam>(code);
    if (!std::isfinite(value)) continue;
    max = std::max(max, value);
    lowest = std::min(lowest, value);
    if (value > 0) positive = std::min(positive, value);
  }
  using Limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(Limits::max(), max);
  EXPECT_EQ(Limits::lowest(), lowest);
  EXPECT_EQ(Limits::denorm_min(), positive);
  EXPECT_EQ(std::ilogb(max) + 1, Limits::max_exponent);
  EXPECT_EQ(TypeParam::Infinity().bits(), TypeParam(INFINITY).bits());
  EXPECT_EQ(TypeParam::QuietNan().bits(), TypeParam(NAN).bits());
  EXPECT_EQ(TypeParam::QuietNan().IsNan(), TypeParam::kHasNan);
  EXPECT_EQ(TypeParam::Infinity().IsInfinite(), TypeParam::kHasInfinity);
}

// FNV-1a over the codes that a fixed set of floats converts to.
template <typename T>
uint64_t ConversionChecksum() {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t i = 0; i < 1u << 20; ++i) {
    const uint32_t bits = i * 4096 + i % 4096;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    hash = (hash ^ T(value).bits()) * 0x100000001b3;
  }
  return hash;
}

TYPED_TEST(SmallFloatTest, ConversionsAgreeWithMlDtypes) {
  // Computed with the Python package ml_dtypes 0.6.0 (f16: numpy).
  const std::map<PrimitiveType, uint64_t> expected = {
      {kF4E2M1FN, 0x8b12e66a7b152725},      {kF6E2M3FN, 0x1d0bd28ade54e425},
      {kF6E3M2FN, 0xc50e89dfb1f2db25},      {kF8E3M4, 0x036ac5dc9ab73925},
      {kF8E4M3, 0x864f3c6ebf5b0325},        {kF8E4M3FN, 0x4fd2e1b637eafb25},
      {kF8E4M3B11FNUZ, 0x8e8081e50aa2ab25}, {kF8E4M3FNUZ, 0xa6063c2521bfcba5},
      {kF8E5M2, 0xedfc627726cf4725},        {kF8E5M2FNUZ, 0x19923cd62cc14325},
      {kF8E8M0FNU, 0xde9131b0b4ebefda},     {kBF16, 0x106e404f9a17e925},
      {kF16, 0x4a781ab51f1cef25},
  };
  EXPECT_EQ(ConversionChecksum<TypeParam>(),
            expected.at(PrimitiveTypeOf<TypeParam>()));
}

TEST(SmallFloat, OverflowRulesDifferByType) {
  EXPECT_EQ(F8E4M3FN(464.0f), 448.0f);
  EXPECT_TRUE(isnan(F8E4M3FN(480.0f)));
  EXPECT_TRUE(isinf(F8E5M2(61440.0f)));
  EXPECT_TRUE(isinf(F8E4M3(248.0f)));
  EXPECT_TRUE(isnan(F8E4M3FNUZ(1e6f)));
  EXPECT_EQ(F4E2M1FN(100.0f), 6.0f);
  EXPECT_EQ(F4E2M1FN(-INFINITY), -6.0f);
  EXPECT_TRUE(isinf(Half(65520.0f)));
  EXPECT_EQ(Half(65519.0f), 65504.0f);
}

TEST(SmallFloat, TiesGoToTheEvenMantissa) {
  const float ties[][2] = {
      {0.25f, 0}, {0.75f, 1}, {2.5f, 2}, {3.5f, 4}, {5, 4}};
  for (const auto& [from, to] : ties) EXPECT_EQ(F4E2M1FN(from), to) << from;
  // A bare exponent has no mantissa: up.
  const float exponents[][2] = {{0.75f, 1}, {2.5f, 2}, {3.5f, 4}, {5, 4},
                                {7, 8},     {1.5f, 2}, {3, 4},    {6, 8}};
  for (const auto& [from, to] : exponents) {
    EXPECT_EQ(F8E8M0FNU(from), to) << from;
  }
}

TEST(SmallFloat, BareExponentsRoundSubnormalFloatsUp) {
  const double above = std::ldexp(1.25, -127);
  EXPECT_EQ(F8E8M0FNU(static_cast<float>(above)).bits(), 1);
  EXPECT_EQ(F8E8M0FNU(above).bits(), 0);
  EXPECT_EQ(F8E8M0FNU(std::ldexp(1.0f, -127)).bits(), 0);
}

TEST(SmallFloat, DoublesRoundTwiceToSixteenBitsAndOnceToEight) {
  // Just above the middle between 1 and the next half.
  const double above_tie = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(Half(above_tie), 1.0f);
  const double above_f8_tie = 1 + std::ldexp(1.0, -4) + std::ldexp(1.0, -40);
  EXPECT_EQ(F8E4M3FN(above_f8_tie), 1.125f);
}

TEST(SmallFloat, HalfKeepsTheUpperPayloadOfNan) {
  EXPECT_EQ(Half(std::bit_cast<float>(0xffd23456u)).bits(), 0xfe91);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0xffd23456u)).bits(), 0xffc0);
}

TEST(SmallFloat, IntegersConvertThroughFloat) {
  EXPECT_EQ(BFloat16(300001), 299008.0f);
  EXPECT_TRUE(isinf(Half(70000)));
  EXPECT_EQ(F8E5M2(true), 1.0f);
  EXPECT_EQ(Half(S4(-3)), -3.0f);
}

}  // namespace
}  // namespace hlokit
