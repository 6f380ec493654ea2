#include "hlo/ir/primitive_type.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "hlo/ir/native_types.h"
#include "xla/xla_data.pb.h"

namespace hlokit {
namespace {

TEST(PrimitiveTypes, AreThoseOfTheProtoEnum) {
  const auto* proto = xla::PrimitiveType_descriptor();
  EXPECT_EQ(proto->value_count(),
            static_cast<int>(AllPrimitiveTypes().size()) + 1);
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    const auto* value = proto->FindValueByNumber(info.type);
    ASSERT_NE(value, nullptr) << info.name;
    std::string name = info.name;
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    if (info.type == kOpaque) name = "OPAQUE_TYPE";
    EXPECT_EQ(value->name(), name);
    EXPECT_LT(info.type, kPrimitiveTypeLimit);
  }
}

TEST(PrimitiveTypes, AreFoundByName) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    EXPECT_EQ(PrimitiveTypeByName(info.name), info.type);
    EXPECT_EQ(PrimitiveTypeName(info.type), info.name);
  }
  EXPECT_EQ(PrimitiveTypeByName("invalid"), std::nullopt);
  EXPECT_EQ(PrimitiveTypeByName("F32"), std::nullopt);
  EXPECT_EQ(PrimitiveTypeByName("opaque_type"), std::nullopt);
}

TEST(PrimitiveTypes, UnknownNumbersAreInvalid) {
  EXPECT_EQ(InfoOf(static_cast<PrimitiveType>(16 + 200)).type, kInvalid);
  EXPECT_FALSE(IsArrayType(static_cast<PrimitiveType>(255)));
  EXPECT_EQ(SignificandBits(static_cast<PrimitiveType>(255)), 0);
}

template <typename T>
void CheckNative(PrimitiveType type) {
  EXPECT_EQ(static_cast<int>(sizeof(T)), StorageBytes(type));
  EXPECT_EQ(kIsFloat<T>, IsFloatType(type));
  EXPECT_EQ(kIsInteger<T>, IsIntegerType(type));
  EXPECT_EQ(kIsSignedInteger<T>, IsSignedIntType(type));
  EXPECT_EQ(kIsComplex<T>, IsComplexType(type));
  EXPECT_EQ(PrimitiveTypeOf<T>(), type);
  if constexpr (IsSmallFloat<T>::value || IsSubByteInt<T>::value) {
    EXPECT_EQ(T::kBits, BitWidth(type));
  }
}

TEST(PrimitiveTypes, EveryArrayTypeHasItsNativeType) {
  int count = 0;
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (!IsArrayType(info.type)) continue;
    ++count;
    SCOPED_TRACE(info.name);
    DispatchArrayType(info.type, [&](auto tag) {
      CheckNative<typename decltype(tag)::type>(info.type);
    });
  }
  EXPECT_EQ(count, 32);
}

TEST(PrimitiveTypes, SignificandsIncludeTheHiddenBit) {
  EXPECT_EQ(SignificandBits(kF64), 53);
  EXPECT_EQ(SignificandBits(kF32), 24);
  EXPECT_EQ(SignificandBits(kF16), 11);
  EXPECT_EQ(SignificandBits(kBF16), 8);
  EXPECT_EQ(SignificandBits(kF8E4M3FN), 4);
  EXPECT_EQ(SignificandBits(kF8E8M0FNU), 1);
  EXPECT_EQ(SignificandBits(kS32), 0);
  EXPECT_EQ(SignificandBits(kC64), 0);
}

TEST(PrimitiveTypes, ComplexTypesHaveComponents) {
  EXPECT_EQ(ComponentType(kC64), kF32);
  EXPECT_EQ(ComponentType(kC128), kF64);
  EXPECT_EQ(ComponentType(kS8), kS8);
  EXPECT_EQ(ComplexTypeOf(kF32), kC64);
  EXPECT_EQ(ComplexTypeOf(kF64), kC128);
  EXPECT_EQ(ComplexTypeOf(kBF16), kInvalid);
}

TEST(PrimitiveTypes, HigherPrecisionPrefersRangeThenSignificand) {
  const PrimitiveType pairs[][2] = {
      {kF32, kBF16}, {kBF16, kF16},        {kF64, kF32},        {kF16, kF8E5M2},
      {kC64, kF64},  {kF32, kS64},         {kS32, kU32},        {kS64, kS32},
      {kC128, kC64}, {kF8E4M3FN, kF8E4M3}, {kF8E5M2, kF8E4M3FN}};
  for (const auto& [high, low] : pairs) {
    EXPECT_EQ(HigherPrecision(high, low), high);
    EXPECT_EQ(HigherPrecision(low, high), high);
  }
  EXPECT_EQ(HigherPrecision(kF32, kF32), kF32);
}

}  // namespace
}  // namespace hlokit
