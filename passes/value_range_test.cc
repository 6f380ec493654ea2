#include "passes/value_range.h"

#include "gtest/gtest.h"
#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

TEST(ValueRangeTest, IntegersNeedTheSignAndTheBits) {
  EXPECT_TRUE(HoldsAllValuesOf(kS16, kU8));
  EXPECT_TRUE(HoldsAllValuesOf(kU8, kPred));
  EXPECT_FALSE(HoldsAllValuesOf(kS8, kU8));
  EXPECT_FALSE(HoldsAllValuesOf(kU16, kS8));
}

TEST(ValueRangeTest, FloatsHoldIntegersOfTheirSignificand) {
  EXPECT_TRUE(HoldsAllValuesOf(kF32, kS16));
  EXPECT_TRUE(HoldsAllValuesOf(kBF16, kS8));
  EXPECT_TRUE(HoldsAllValuesOf(kF64, kS32));
  EXPECT_FALSE(HoldsAllValuesOf(kF32, kS32));
  EXPECT_FALSE(HoldsAllValuesOf(kBF16, kS16));
  EXPECT_FALSE(HoldsAllValuesOf(kS64, kF32));
}

TEST(ValueRangeTest, HalfPrecisionTypesDoNotHoldEachOther) {
  EXPECT_FALSE(HoldsAllValuesOf(kF16, kBF16));
  EXPECT_FALSE(HoldsAllValuesOf(kBF16, kF16));
  EXPECT_TRUE(HoldsAllValuesOf(kF32, kBF16));
  EXPECT_TRUE(HoldsAllValuesOf(kC64, kF32));
  EXPECT_FALSE(HoldsAllValuesOf(kF32, kC64));
}

// Every 8-bit value of every small type comes back from where it is said to
// fit.
TEST(ValueRangeTest, WhatFitsComesBack) {
  for (const PrimitiveTypeInfo& narrow : AllPrimitiveTypes()) {
    if (!IsArrayType(narrow.type) || narrow.bits > 8 ||
        narrow.type == kPred) {
      continue;
    }
    for (const PrimitiveTypeInfo& wide : AllPrimitiveTypes()) {
      if (!IsArrayType(wide.type) || IsComplexType(wide.type) ||
          !HoldsAllValuesOf(wide.type, narrow.type)) {
        continue;
      }
      Literal all = Literal::Zeros(
          Shape::ArrayWithDescendingLayout(narrow.type, {256}));
      for (int k = 0; k < 256; ++k) {
        if (IsIntegerType(narrow.type)) {
          all.SetFromInt64(k, k - 128);
        } else {
          all.SetFromDouble(k, (k - 128) / 16.0);
        }
      }
      const auto there = ConvertLiteral(all, wide.type);
      ASSERT_TRUE(there.ok());
      const auto back = ConvertLiteral(*there, narrow.type);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(back->ToString(), all.ToString())
          << narrow.name << " in " << wide.name;
    }
  }
}

}  // namespace
}  // namespace hlokit
