#include "hlo/ir/literal_convert.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

std::string Converted(const Literal& value, PrimitiveType type) {
  auto result = ConvertLiteral(value, type);
  if (!result.ok()) return result.status().ToString();
  EXPECT_EQ(result->element_type(), type);
  return result->ToString();
}

Literal Floats(std::vector<float> values) {
  return Literal::Array<float>({static_cast<int64_t>(values.size())}, values);
}
Literal Ints(std::vector<int32_t> values) {
  return Literal::Array<int32_t>({static_cast<int64_t>(values.size())}, values);
}

// Expectations of these two tests are what XLA's CPU backend computes.
TEST(Convert, FloatsTruncateAndSaturate) {
  const Literal floats = Floats({-1, 300, -300, NAN, INFINITY, -INFINITY, 1.9f,
                                 -1.9f, 7.5f, -8.9f, -9.1f, .5f, 1.5f});
  EXPECT_EQ(Converted(floats, kS2),
            "{-1, 1, -2, 0, 1, -2, 1, -1, 1, -2, -2, 0, 1}");
  EXPECT_EQ(Converted(floats, kU2), "{0, 3, 0, 0, 3, 0, 1, 0, 3, 0, 0, 0, 1}");
  EXPECT_EQ(Converted(floats, kS4),
            "{-1, 7, -8, 0, 7, -8, 1, -1, 7, -8, -8, 0, 1}");
  EXPECT_EQ(Converted(floats, kU4),
            "{0, 15, 0, 0, 15, 0, 1, 0, 7, 0, 0, 0, 1}");
  EXPECT_EQ(Converted(floats, kS8),
            "{-1, 127, -128, 0, 127, -128, 1, -1, 7, -8, -9, 0, 1}");
  EXPECT_EQ(Converted(floats, kU8),
            "{0, 255, 0, 0, 255, 0, 1, 0, 7, 0, 0, 0, 1}");
  EXPECT_EQ(Converted(floats, kU64),
            "{0, 300, 0, 0, 18446744073709551615, 0, 1, 0, 7, 0, 0, 0, 1}");
  EXPECT_EQ(Converted(floats, kS64),
            "{-1, 300, -300, 0, 9223372036854775807, -9223372036854775808, 1, "
            "-1, 7, -8, -9, 0, 1}");
  EXPECT_EQ(Converted(floats, kPred),
            "{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}");
}

TEST(Convert, IntegersWrap) {
  const Literal ints = Ints({-1, 300, -300, 7, 8, -8, -9, 2, 3});
  EXPECT_EQ(Converted(ints, kS2), "{-1, 0, 0, -1, 0, 0, -1, -2, -1}");
  EXPECT_EQ(Converted(ints, kU2), "{3, 0, 0, 3, 0, 0, 3, 2, 3}");
  EXPECT_EQ(Converted(ints, kS4), "{-1, -4, 4, 7, -8, -8, 7, 2, 3}");
  EXPECT_EQ(Converted(ints, kU4), "{15, 12, 4, 7, 8, 8, 7, 2, 3}");
  EXPECT_EQ(Converted(ints, kS8), "{-1, 44, -44, 7, 8, -8, -9, 2, 3}");
  EXPECT_EQ(Converted(ints, kU8), "{255, 44, 212, 7, 8, 248, 247, 2, 3}");
  EXPECT_EQ(Converted(ints, kC64),
            "{(-1, 0), (300, 0), (-300, 0), (7, 0), (8, 0), (-8, 0), (-9, 0), "
            "(2, 0), (3, 0)}");
}

TEST(Convert, SaturationIsExactAtTheEdges) {
  EXPECT_EQ(ConvertElement<int32_t>(2147483648.0f), 2147483647);
  EXPECT_EQ(ConvertElement<int32_t>(2147483520.0f), 2147483520);
  EXPECT_EQ(ConvertElement<int32_t>(-2147483648.0f), -2147483647 - 1);
  EXPECT_EQ(ConvertElement<int32_t>(2147483646.9), 2147483646);
  EXPECT_EQ(ConvertElement<uint32_t>(4294967295.5), 4294967295u);
  EXPECT_EQ(ConvertElement<uint64_t>(18446744073709549568.0),
            18446744073709549568u);
  EXPECT_EQ(ConvertElement<uint64_t>(1.9e19),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ConvertElement<uint8_t>(-0.5f), 0);
  EXPECT_EQ(ConvertElement<int8_t>(-128.9f), -128);
  EXPECT_EQ(ConvertElement<int8_t>(BFloat16(200.0f)), 127);
}

TEST(Convert, PredMeansNotZero) {
  const Literal floats = Floats({0.0f, -0.0f, 0.5f, NAN});
  EXPECT_EQ(Converted(floats, kPred), "{0, 0, 1, 1}");
  const Literal preds = Literal::Array<bool>({2}, {true, false});
  EXPECT_EQ(Converted(preds, kS32), "{1, 0}");
  EXPECT_EQ(Converted(preds, kBF16), "{1, 0}");
  EXPECT_EQ(Converted(preds, kC128), "{(1, 0), (0, 0)}");
  EXPECT_EQ(Converted(preds, kS1), "{-1, 0}");
}

TEST(Convert, ComplexNumbersLoseTheImaginaryPart) {
  using C = std::complex<float>;
  const Literal complexes =
      Literal::Array<C>({4}, {C(0, 1), C(1, 0), C(NAN, 0), C(3.7f, -2)});
  EXPECT_EQ(Converted(complexes, kS8), "{0, 1, 0, 3}");
  EXPECT_EQ(Converted(complexes, kF32), "{0, 1, nan, 3.7}");
  EXPECT_EQ(Converted(complexes, kPred), "{1, 1, 1, 1}");
  EXPECT_EQ(Converted(complexes, kC128),
            "{(0, 1), (1, 0), (nan, 0), (3.7000000476837158, -2)}");
}

TEST(Convert, IntegersRoundToFloats) {
  const Literal ints = Ints({16777217, 300001, 2147483647, 65519, 65520});
  EXPECT_EQ(Converted(ints, kF16), "{inf, inf, inf, 65504, inf}");
  EXPECT_EQ(Converted(ints, kF32),
            "{16777216, 300001, 2.14748365e+09, 65519, 65520}");
  EXPECT_EQ(ConvertElement<BFloat16>(int32_t{300001}), 299008.0f);
  EXPECT_EQ(ConvertElement<double>(std::numeric_limits<uint64_t>::max()),
            18446744073709551616.0);
  EXPECT_EQ(ConvertElement<float>((int64_t{1} << 53) + 1), 9007199254740992.0f);
}

// ConvertLiteral goes through a wide type; the element rule does not.
template <typename To, typename From>
std::string ConvertedByElement(const Literal& from) {
  Literal result = Literal::Zeros(Shape::ArrayWithDescendingLayout(
      PrimitiveTypeOf<To>(), from.shape().dimensions()));
  To* out = result.mutable_data<To>().data();
  for (const From& value : from.data<From>()) {
    *out++ = ConvertElement<To>(value);
  }
  return result.ToString();
}

template <typename To>
void CheckAllTo(const std::vector<double>& numbers) {
  const Literal doubles =
      Literal::Array<double>({static_cast<int64_t>(numbers.size())}, numbers);
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (!IsArrayType(info.type)) continue;
    const Literal from = *ConvertLiteral(doubles, info.type);
    const std::string expected = DispatchArrayType(info.type, [&](auto tag) {
      return ConvertedByElement<To, typename decltype(tag)::type>(from);
    });
    EXPECT_EQ(Converted(from, PrimitiveTypeOf<To>()), expected) << info.name;
  }
}

TEST(Convert, LiteralsConvertAsTheirElementsFromEveryType) {
  const std::vector<double> numbers = {
      0,    -0.0, 1,     -1,    0.1,   1.0 / 3,  2.5,       3.5,  7.5,   -8.5,
      100,  240,  300,   448.0, 65504, 65520,    1e6,       -1e6, 1e10,  1e19,
      1e30, 1e39, -1e30, 1e-7,  1e-30, INFINITY, -INFINITY, NAN,  1e-41, 1e300};
  CheckAllTo<bool>(numbers);
  CheckAllTo<S4>(numbers);
  CheckAllTo<uint8_t>(numbers);
  CheckAllTo<int64_t>(numbers);
  CheckAllTo<uint64_t>(numbers);
  CheckAllTo<F8E4M3FN>(numbers);
  CheckAllTo<Half>(numbers);
  CheckAllTo<float>(numbers);
  CheckAllTo<std::complex<double>>(numbers);
}

TEST(Convert, LongArraysConvertWhole) {
  std::vector<int32_t> values(5000);
  for (int i = 0; i < 5000; ++i) values[i] = i;
  auto doubles = ConvertLiteral(Ints(values), kF64);
  ASSERT_TRUE(doubles.ok());
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(doubles->data<double>()[i], i);
}

TEST(Convert, ShapeDetailsStay) {
  Shape shape = Shape::Array(kS4, {2, 3});
  shape.set_dynamic_dimension(0, true);
  Layout layout;
  layout.minor_to_major = {0, 1};
  layout.element_size_in_bits = 4;
  shape.set_layout(layout);
  Literal literal = Literal::Zeros(shape);
  literal.set_dynamic_size(0, 1);
  auto result = ConvertLiteral(literal, kF32);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->shape().ToString(), "f32[<=2,3]{0,1}");
  EXPECT_EQ(result->dynamic_size(0), 1);
}

TEST(Convert, SameTypeSharesTheData) {
  const Literal ints = Ints({1, 2});
  auto same = ConvertLiteral(ints, kS32);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->untyped_data(), ints.untyped_data());
}

TEST(Convert, OnlyArraysConvert) {
  EXPECT_FALSE(ConvertLiteral(Literal::Tuple({}), kF32).ok());
  EXPECT_FALSE(ConvertLiteral(Literal::Token(), kF32).ok());
  EXPECT_FALSE(ConvertLiteral(Ints({1}), kTuple).ok());
  EXPECT_FALSE(ConvertLiteral(Ints({1}), kInvalid).ok());
}

}  // namespace
}  // namespace hlokit
