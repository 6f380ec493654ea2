#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/literal_number_text.h"

namespace hlokit {
namespace {

template <typename T>
std::string Text(T value) {
  std::string out;
  AppendNumber(value, &out);
  return out;
}

template <typename T>
std::string TextOfBits(int bits) {
  return Text(T::FromBits(static_cast<typename T::Bits>(bits)));
}

// The numbers 0, 1, 2... in the given dimensions.
std::string Counted(std::initializer_list<int64_t> dimensions) {
  const Shape shape = Shape::ArrayWithDescendingLayout(kS32, dimensions);
  Literal literal = Literal::Zeros(shape);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.SetFromInt64(i, i);
  }
  return literal.ToString();
}

TEST(NumberText, FloatsHaveTheDigitsOfTheirType) {
  EXPECT_EQ(Text(0.1f), "0.1");
  EXPECT_EQ(Text(1.0f / 3), "0.333333343");
  EXPECT_EQ(Text(123456792.0f), "123456792");
  EXPECT_EQ(Text(1e6f), "1e+06");
  EXPECT_EQ(Text(999999.0f), "999999");
  EXPECT_EQ(Text(1e-5f), "1e-05");
  EXPECT_EQ(Text(0.0001f), "0.0001");
  EXPECT_EQ(Text(1e-45f), "1.4013e-45");
  EXPECT_EQ(Text(0.1), "0.1");
  EXPECT_EQ(Text(1.0 / 3), "0.33333333333333331");
  EXPECT_EQ(Text(1e15), "1e+15");
  EXPECT_EQ(Text(999999999999999.0), "999999999999999");
  EXPECT_EQ(Text(Half(0.1f)), "0.099976");
  EXPECT_EQ(Text(BFloat16(0.1f)), "0.1001");
  EXPECT_EQ(Text(BFloat16(3.14159f)), "3.141");
  EXPECT_EQ(Text(F8E5M2(57344.0f)), "5.7e+04");
  EXPECT_EQ(Text(F8E4M3FN(0.1f)), "0.102");
  EXPECT_EQ(Text(F8E3M4(0.1f)), "0.0938");
  EXPECT_EQ(Text(F6E3M2FN(0.0625f)), "0.062");
  EXPECT_EQ(Text(F4E2M1FN(0.5f)), "0.5");
}

TEST(NumberText, ZerosAndInfinitiesKeepTheirSign) {
  EXPECT_EQ(Text(-0.0f), "-0");
  EXPECT_EQ(Text(0.0), "0");
  EXPECT_EQ(Text(F8E5M2(-0.0f)), "-0");
  EXPECT_EQ(Text(INFINITY), "inf");
  EXPECT_EQ(Text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(Text(Half(-INFINITY)), "-inf");
}

TEST(NumberText, NansShowUnusualPayloads) {
  EXPECT_EQ(Text(std::bit_cast<float>(0x7fc00000u)), "nan");
  EXPECT_EQ(Text(std::bit_cast<float>(0xffc00000u)), "-nan");
  EXPECT_EQ(Text(std::bit_cast<float>(0x7f800001u)), "nan(0x1)");
  EXPECT_EQ(Text(std::bit_cast<float>(0x7fc00001u)), "nan(0x400001)");
  EXPECT_EQ(Text(std::bit_cast<double>(0xfff00000000abcdeu)), "-nan(0xabcde)");
  EXPECT_EQ(TextOfBits<Half>(0x7e00), "nan");
  EXPECT_EQ(TextOfBits<Half>(0x7c01), "nan(0x1)");
  EXPECT_EQ(TextOfBits<BFloat16>(0x7fc1), "nan(0x41)");
  EXPECT_EQ(TextOfBits<F8E5M2>(0x7d), "nan(0x1)");
  EXPECT_EQ(TextOfBits<F8E5M2>(0x7e), "nan");
  EXPECT_EQ(TextOfBits<F8E4M3>(0x79), "nan(0x1)");
  EXPECT_EQ(TextOfBits<F8E3M4>(0xf1), "-nan(0x1)");
  EXPECT_EQ(TextOfBits<F8E4M3FN>(0xff), "-nan");
  EXPECT_EQ(TextOfBits<F8E4M3FNUZ>(0x80), "-nan");
  EXPECT_EQ(TextOfBits<F8E8M0FNU>(0xff), "nan");
}

TEST(NumberText, IntegersAreDecimal) {
  EXPECT_EQ(Text(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(Text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(Text(int8_t{-128}), "-128");
  EXPECT_EQ(Text(uint8_t{65}), "65");
  EXPECT_EQ(Text(S4(-8)), "-8");
  EXPECT_EQ(Text(S1(1)), "-1");
  EXPECT_EQ(Text(U2(3)), "3");
}

TEST(NumberText, ComplexNumbersArePairs) {
  EXPECT_EQ(Text(std::complex<float>(1, -0.5f)), "(1, -0.5)");
  EXPECT_EQ(Text(std::complex<double>(0.1, -0.0)), "(0.1, -0)");
}

// The rule itself, with the C library.
template <typename T>
std::string SlowText(T value, int few, int many) {
  const std::string text = absl::StrFormat("%.*g", few, value);
  const T back = std::is_same_v<T, float> ? std::strtof(text.c_str(), nullptr)
                                          : std::strtod(text.c_str(), nullptr);
  if (back == value) return text;
  return absl::StrFormat("%.*g", many, value);
}

TEST(NumberText, WideFloatsAgreeWithPrintf) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    const float f = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isfinite(f)) {
      ASSERT_EQ(Text(f), SlowText(f, 6, 9));
    }
    const double d = std::bit_cast<double>(random());
    if (std::isfinite(d)) {
      ASSERT_EQ(Text(d), SlowText(d, 15, 17));
    }
    const float few_digits =
        static_cast<float>(random() % 10000000) *
        std::pow(10.0f, static_cast<float>(random() % 60) - 40);
    ASSERT_EQ(Text(few_digits), SlowText(few_digits, 6, 9));
    const float subnormal =
        std::bit_cast<float>(static_cast<uint32_t>(random()) >> 9);
    ASSERT_EQ(Text(subnormal), SlowText(subnormal, 6, 9));
    const double short_double = static_cast<double>(few_digits) / 1000;
    ASSERT_EQ(Text(short_double), SlowText(short_double, 15, 17));
    // Halfway between two decimals of 17 digits, often.
    const double tie = std::ldexp(random() % (9 << 17) | 1, -17);
    ASSERT_EQ(Text(tie), SlowText(tie, 15, 17));
  }
}

TEST(NumberText, EverySmallFloatReadsBackEqual) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (!IsArrayType(info.type)) continue;
    DispatchArrayType(info.type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (IsSmallFloat<T>::value) {
        for (int code = 0; code < 1 << T::kBits; ++code) {
          const T value = T::FromBits(static_cast<typename T::Bits>(code));
          if (value.IsNan()) continue;
          const T back(std::strtod(Text(value).c_str(), nullptr));
          ASSERT_EQ(back.bits(), code) << info.name << " " << Text(value);
        }
      }
    });
  }
}

TEST(LiteralText, BracesFollowTheDimensions) {
  EXPECT_EQ(Counted({}), "0");
  EXPECT_EQ(Counted({3}), "{0, 1, 2}");
  EXPECT_EQ(Counted({2, 2}), "{ { 0, 1 }, { 2, 3 } }");
  EXPECT_EQ(Counted({2, 1}), "{ {0}, {1} }");
  EXPECT_EQ(Counted({1, 1, 1}), "{ { {0} } }");
  EXPECT_EQ(Counted({1, 2, 1, 2}),
            "{ { /*i0=0*/ { /*i1=0*/ { 0, 1 } }, { /*i1=1*/ { 2, 3 } } } }");
  EXPECT_EQ(Counted({2, 1, 1, 2, 1}),
            "{ { /*i0=0*/ { /*i1=0*/ { /*i2=0*/ {0}, {1} } } }, "
            "{ /*i0=1*/ { /*i1=0*/ { /*i2=0*/ {2}, {3} } } } }");
}

TEST(LiteralText, EmptyDimensionsLeaveTheirBraces) {
  EXPECT_EQ(Counted({0}), "{}");
  EXPECT_EQ(Counted({0, 2}), "{  }");
  EXPECT_EQ(Counted({2, 0}), "{ {}, {} }");
  EXPECT_EQ(Counted({2, 0, 3}), "{ {  }, {  } }");
  EXPECT_EQ(Counted({1, 0, 2, 3}), "{ { /*i0=0*/ } }");
  EXPECT_EQ(Counted({1, 2, 1, 0}),
            "{ { /*i0=0*/ { /*i1=0*/ {} }, { /*i1=1*/ {} } } }");
  EXPECT_EQ(Counted({0, int64_t{1} << 60}), "{  }");
}

TEST(LiteralText, EndlessEmptyRowsAreLeftOut) {
  EXPECT_EQ(Counted({int64_t{1} << 40, 0}), "{...}");
  EXPECT_EQ(Counted({int64_t{1} << 40, int64_t{1} << 40, 0}), "{...}");
}

TEST(LiteralText, PredsAreWordsOnlyAsScalars) {
  EXPECT_EQ(Literal::Scalar(true).ToString(), "true");
  EXPECT_EQ(Literal::Scalar(false).ToString(), "false");
  EXPECT_EQ((Literal::Array<bool>({2}, {true, false}).ToString()), "{1, 0}");
  std::string element;
  Literal::Array<bool>({1}, {true}).AppendElement(0, &element);
  EXPECT_EQ(element, "1");
}

Literal SampleTuple() {
  return Literal::Tuple({Literal::Scalar(int32_t{1}),
                         Literal::Array<bool>({1}, {true}),
                         Literal::Tuple({Literal::Scalar(true)})});
}

TEST(LiteralText, TuplesStandInParentheses) {
  EXPECT_EQ(Literal::Tuple({}).ToString(), "(  )");
  EXPECT_EQ(SampleTuple().ToString(), "( 1, {1}, ( true ) )");
  EXPECT_EQ(Literal::Token().ToString(), "token");
}

std::string TypedText(const Literal& literal) {
  std::string out;
  literal.AppendTypedTo(&out);
  return out;
}

TEST(LiteralText, TypesCanStandInFront) {
  EXPECT_EQ(TypedText(Literal::Array<int32_t>({2}, {1, 2})),
            "s32[2]{0} {1, 2}");
  EXPECT_EQ(TypedText(Literal::Scalar(true)), "pred[] true");
  EXPECT_EQ(TypedText(SampleTuple()),
            "( s32[] 1, pred[1]{0} {1}, ( pred[] true ) )");
  EXPECT_EQ(TypedText(Literal::Token()), "token");
}

TEST(LiteralText, OfDynamicArraysOnlyTheLivePartIsShown) {
  Shape shape = Shape::ArrayWithDescendingLayout(kS32, {2, 3});
  shape.set_dynamic_dimension(1, true);
  Literal literal = Literal::Zeros(shape);
  for (int i = 0; i < 6; ++i) literal.SetFromInt64(i, i);
  literal.set_dynamic_size(1, 2);
  EXPECT_EQ(literal.ToString(), "{ { 0, 1 }, { 3, 4 } }");
  EXPECT_EQ(TypedText(literal), "s32[2,<=3]{1,0}(2,2) { { 0, 1 }, { 3, 4 } }");
}

TEST(LiteralText, LayoutsDoNotChangeTheOrder) {
  Literal literal = Literal::Array<int32_t>({2, 2}, {1, 2, 3, 4});
  Shape shape = literal.shape();
  Layout layout;
  layout.minor_to_major = {0, 1};
  shape.set_layout(layout);
  literal.set_shape(shape);
  EXPECT_EQ(TypedText(literal), "s32[2,2]{0,1} { { 1, 2 }, { 3, 4 } }");
}

TEST(LiteralText, LongRowsComeOutWhole) {
  std::string expected = "{";
  for (int i = 0; i < 5000; ++i) {
    absl::StrAppend(&expected, i > 0 ? ", " : "", i);
  }
  EXPECT_EQ(Counted({5000}), expected + "}");
}

}  // namespace
}  // namespace hlokit
