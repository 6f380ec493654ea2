#include "hlo/ir/literal.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace hlokit {
namespace {

Shape F32(std::initializer_list<int64_t> dimensions) {
  return Shape::ArrayWithDescendingLayout(kF32, dimensions);
}

TEST(Literal, ZerosAreZeroInEveryType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (!IsArrayType(info.type)) continue;
    const Literal zeros =
        Literal::Zeros(Shape::ArrayWithDescendingLayout(info.type, {2, 3}));
    EXPECT_EQ(zeros.element_count(), 6);
    EXPECT_EQ(zeros.size_bytes(), 6 * StorageBytes(info.type));
    // f8e8m0fnu has no zero: its code 0 is the smallest power.
    EXPECT_EQ(zeros.IsAll(0), info.type != kF8E8M0FNU) << info.name;
  }
}

TEST(Literal, ZerosOfTuplesHaveAllParts) {
  const Literal zeros = Literal::Zeros(Shape::Tuple(
      {F32({2}), Shape::Tuple({Shape::Scalar(kS8), Shape::Token()})}));
  EXPECT_EQ(zeros.ToString(), "( {0, 0}, ( 0, token ) )");
  EXPECT_EQ(zeros.Sub({1, 0}).element_type(), kS8);
}

TEST(Literal, LargeDataIsAligned) {
  const Literal literal = Literal::Zeros(F32({1000}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(literal.untyped_data()) % 64, 0u);
}

TEST(Literal, ArraysHoldWhatTheyWereGiven) {
  const Literal literal = Literal::Array<int32_t>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(literal.shape().ToString(), "s32[2,2]{1,0}");
  EXPECT_EQ(literal.data<int32_t>()[2], 3);
  EXPECT_EQ(Literal::Scalar(2.5f).First<float>(), 2.5f);
  EXPECT_EQ(Literal::Scalar(true).element_type(), kPred);
}

TEST(Literal, WritingToACopyLeavesTheOriginalAlone) {
  const Literal original = Literal::Array<int32_t>({2}, {1, 2});
  Literal copy = original;
  EXPECT_EQ(copy.untyped_data(), original.untyped_data());
  copy.mutable_data<int32_t>()[0] = 9;
  EXPECT_EQ(original.data<int32_t>()[0], 1);
  EXPECT_EQ(copy.data<int32_t>()[0], 9);
  const char* own = copy.untyped_data();
  copy.mutable_data<int32_t>()[1] = 8;
  EXPECT_EQ(copy.untyped_data(), own);
}

TEST(Literal, TuplesShareTheirElements) {
  const Literal element = Literal::Array<int32_t>({2}, {1, 2});
  Literal tuple = Literal::Tuple({element, Literal::Scalar(1.0f)});
  EXPECT_EQ(tuple.shape().ToString(), "(s32[2]{0}, f32[])");
  EXPECT_EQ(tuple.elements()[0].untyped_data(), element.untyped_data());
  tuple.mutable_elements()[0].mutable_data<int32_t>()[0] = 5;
  EXPECT_EQ(element.data<int32_t>()[0], 1);
}

TEST(Literal, ViewsKeepTheirOwnerAndAreNeverWritten) {
  auto owner =
      std::make_shared<std::vector<int32_t>>(std::vector<int32_t>{1, 2, 3});
  const char* data = reinterpret_cast<const char*>(owner->data());
  Literal view =
      Literal::View(Shape::ArrayWithDescendingLayout(kS32, {3}), data, owner);
  EXPECT_EQ(view.untyped_data(), data);
  EXPECT_EQ(owner.use_count(), 2);
  view.mutable_data<int32_t>()[0] = 9;
  EXPECT_EQ((*owner)[0], 1);
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(view.ToString(), "{9, 2, 3}");
}

TEST(Literal, EqualityIsByBitsAndIgnoresLayouts) {
  const Literal a = Literal::Array<float>({2, 1}, {0.0f, NAN});
  Literal b = Literal::Array<float>({2, 1}, {0.0f, NAN});
  EXPECT_EQ(a, b);
  Shape other_order = b.shape();
  Layout layout;
  layout.minor_to_major = {0, 1};
  other_order.set_layout(layout);
  b.set_shape(other_order);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, Literal::Array<float>({2, 1}, {-0.0f, NAN}));
  EXPECT_NE(a, Literal::Array<float>({1, 2}, {0.0f, NAN}));
  EXPECT_NE(Literal::Scalar(0), Literal::Scalar(0u));
  EXPECT_EQ(Literal::Tuple({a, Literal::Token()}),
            Literal::Tuple({b, Literal::Token()}));
  EXPECT_EQ(Literal(), Literal());
  EXPECT_EQ(Literal::Zeros(F32({0})), Literal::Zeros(F32({0})));
}

TEST(Literal, DynamicSizesStartAtTheBounds) {
  Shape shape = F32({3, 4});
  shape.set_dynamic_dimension(0, true);
  Literal literal = Literal::Zeros(shape);
  EXPECT_EQ(literal.dynamic_size(0), 3);
  EXPECT_TRUE(literal.dynamic_sizes().empty());
  const Literal full = literal;
  literal.set_dynamic_size(0, 2);
  EXPECT_EQ(literal.dynamic_size(0), 2);
  EXPECT_EQ(literal.dynamic_size(1), 4);
  EXPECT_NE(literal, full);
  literal.set_dynamic_size(0, 3);
  EXPECT_EQ(literal, full);
}

TEST(Literal, ElementsReadAndWriteAsNumbers) {
  EXPECT_EQ(Literal::ScalarOf(kF16, 0.1).ToString(), "0.099976");
  EXPECT_EQ(Literal::ScalarOf(kS8, 300).GetAsInt64(0), 127);
  EXPECT_EQ(Literal::ScalarOfInt(kS8, 300).GetAsInt64(0), 44);
  EXPECT_EQ(Literal::ScalarOf(kPred, 0.5).ToString(), "true");
  EXPECT_EQ(Literal::ScalarOf(kC64, 2.5).ToString(), "(2.5, 0)");
  EXPECT_EQ(Literal::ScalarOf(kC64, 2.5).GetAsDouble(0), 2.5);
  EXPECT_EQ(Literal::ScalarOfInt(kU64, -1).ToString(), "18446744073709551615");
  EXPECT_EQ(Literal::ScalarOfInt(kU64, -1).GetAsInt64(0), -1);
  constexpr int64_t kBig = (int64_t{1} << 53) + 1;
  EXPECT_EQ(Literal::ScalarOfInt(kS64, kBig).GetAsInt64(0), kBig);
  EXPECT_EQ(Literal::ScalarOf(kF32, NAN).GetAsInt64(0), 0);
  EXPECT_EQ(Literal::ScalarOf(kF32, 1e30).GetAsInt64(0),
            std::numeric_limits<int64_t>::max());
}

TEST(Literal, IsAllComparesExactly) {
  EXPECT_TRUE((Literal::Array<float>({2}, {1, 1}).IsAll(1)));
  EXPECT_FALSE((Literal::Array<float>({2}, {1, 2}).IsAll(1)));
  EXPECT_FALSE((Literal::Array<float>({2}, {0.0f, -0.0f}).IsAll(0)));
  EXPECT_TRUE((Literal::Array<bool>({2}, {true, true}).IsAll(1)));
  EXPECT_TRUE(Literal::Scalar(std::complex<float>(1, 0)).IsAll(1));
  EXPECT_FALSE(Literal::Scalar(std::complex<float>(1, 1)).IsAll(1));
  EXPECT_FALSE(Literal::ScalarOfInt(kS8, 44).IsAll(300));
  EXPECT_FALSE(Literal::Scalar(true).IsAll(2));
  EXPECT_FALSE(Literal::Token().IsAll(0));
}

TEST(LiteralSize, LargeAndImpossibleShapesAreRefused) {
  EXPECT_TRUE(CheckLiteralSize(F32({1000})).ok());
  EXPECT_TRUE(CheckLiteralSize(Shape::Token()).ok());
  EXPECT_TRUE(CheckLiteralSize(F32({25}), 100).ok());
  const auto too_large = absl::StatusCode::kResourceExhausted;
  EXPECT_EQ(CheckLiteralSize(F32({26}), 100).code(), too_large);
  EXPECT_EQ(CheckLiteralSize(Shape::Tuple({F32({20}), F32({20})}), 100).code(),
            too_large);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(CheckLiteralSize(F32({kMax, kMax})).code(), too_large);
  EXPECT_TRUE(CheckLiteralSize(F32({kMax, kMax, 0})).ok());
  EXPECT_TRUE(CheckLiteralSize(F32({0, kMax})).ok());
  const auto impossible = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(CheckLiteralSize(Shape::Opaque()).code(), impossible);
  EXPECT_EQ(CheckLiteralSize(Shape()).code(), impossible);
  EXPECT_EQ(CheckLiteralSize(Shape::Array(kF32, {kUnboundedSize})).code(),
            impossible);
}

}  // namespace
}  // namespace hlokit
