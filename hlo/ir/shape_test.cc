#include "hlo/ir/shape.h"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/hash/hash_testing.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

Shape WithOrder(PrimitiveType type, std::initializer_list<int64_t> dimensions,
                std::initializer_list<int64_t> minor_to_major) {
  Shape shape = Shape::Array(type, dimensions);
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  shape.set_layout(layout);
  return shape;
}

Shape F32(std::initializer_list<int64_t> dimensions) {
  return Shape::ArrayWithDescendingLayout(kF32, dimensions);
}

// (f32[2], (s32[], pred[3]), token[])
Shape Nested() {
  return Shape::Tuple(
      {F32({2}),
       Shape::Tuple(
           {Shape::Scalar(kS32), Shape::ArrayWithDescendingLayout(kPred, {3})}),
       Shape::Token()});
}

TEST(ShapeText, ArraysShowTypeDimensionsAndLayout) {
  EXPECT_EQ(F32({2, 3}).ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(F32({2, 3}).ToString(/*layout=*/false), "f32[2,3]");
  EXPECT_EQ(Shape::Array(kBF16, {4}).ToString(), "bf16[4]");
  EXPECT_EQ(WithOrder(kS4, {2, 3}, {0, 1}).ToString(), "s4[2,3]{0,1}");
  EXPECT_EQ(F32({0, 1}).ToString(), "f32[0,1]{1,0}");
}

TEST(ShapeText, ScalarsShowOnlyLayoutsThatSaySomething) {
  Shape scalar = Shape::Scalar(kF32);
  EXPECT_EQ(scalar.ToString(), "f32[]");
  Layout layout;
  layout.memory_space = 5;
  scalar.set_layout(layout);
  EXPECT_EQ(scalar.ToString(), "f32[]{:S(5)}");
}

TEST(ShapeText, DynamicDimensionsShowTheirBound) {
  Shape shape = Shape::Array(kF32, {5, kUnboundedSize, 3});
  shape.set_dynamic_dimension(0, true);
  EXPECT_EQ(shape.ToString(), "f32[<=5,?,3]");
}

TEST(ShapeText, OtherKindsKeepTheirBrackets) {
  EXPECT_EQ(Shape::Token().ToString(), "token[]");
  EXPECT_EQ(Shape::Opaque().ToString(), "opaque[]");
  EXPECT_EQ(Shape::Buffer(F32({2, 2})).ToString(), "b(f32[2,2]{1,0})");
  EXPECT_EQ(Shape().ToString(), "invalid[]");
}

TEST(ShapeText, LongTuplesNumberEveryFifthElement) {
  EXPECT_EQ(Shape::Tuple({}).ToString(), "()");
  EXPECT_EQ(Nested().ToString(), "(f32[2]{0}, (s32[], pred[3]{0}), token[])");
  std::vector<Shape> elements(11, Shape::Scalar(kF32));
  elements[10] = F32({2});
  EXPECT_EQ(Shape::Tuple(elements).ToString(),
            "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[], f32[], "
            "f32[], f32[], f32[], /*index=10*/f32[2]{0})");
}

TEST(Shape, ChangingACopyLeavesTheOriginalAlone) {
  const Shape original = F32({2, 3});
  Shape copy = original;
  copy.set_dimension(0, 7);
  copy.set_element_type(kS8);
  EXPECT_EQ(original.ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(copy.ToString(), "s8[7,3]{1,0}");
  Shape scalar = Shape::Scalar(kF32);
  scalar.set_element_type(kF64);
  EXPECT_EQ(Shape::Scalar(kF32).element_type(), kF32);
}

TEST(Shape, TheInvalidShapeAnswersEveryQuestion) {
  const Shape shape;
  EXPECT_FALSE(shape.IsValid());
  EXPECT_EQ(shape.rank(), 0);
  EXPECT_FALSE(shape.has_layout());
  EXPECT_FALSE(shape.is_dynamic());
  EXPECT_TRUE(shape.tuple_shapes().empty());
  EXPECT_EQ(shape, Shape());
  EXPECT_NE(shape, Shape::Token());
}

TEST(Shape, AssignmentAndMoveKeepTheValue) {
  Shape a = F32({2}), b = F32({3});
  a = b;
  EXPECT_EQ(a, b);
  Shape& alias = a;
  a = alias;
  EXPECT_EQ(a.ToString(), "f32[3]{0}");
  Shape moved = std::move(a);
  EXPECT_EQ(moved, b);
}

TEST(Shape, DynamicIsFoundAtAnyDepth) {
  Shape dynamic = F32({4});
  dynamic.set_dynamic_dimension(0, true);
  EXPECT_TRUE(dynamic.is_dynamic());
  const Shape nested = Shape::Tuple({Shape::Tuple({dynamic})});
  EXPECT_TRUE(nested.is_dynamic());
  EXPECT_FALSE(nested.has_unbounded_dimension());
  EXPECT_TRUE(Shape::Array(kF32, {kUnboundedSize}).has_unbounded_dimension());
  Shape cleared = nested;
  cleared.ClearDynamicDimensions();
  EXPECT_TRUE(cleared.is_static());
  EXPECT_EQ(cleared.ToString(), "((f32[4]{0}))");
  EXPECT_TRUE(nested.is_dynamic());
}

TEST(Shape, DeletingADimensionAdjustsFlagsAndLayout) {
  Shape shape = WithOrder(kF32, {2, 3, 4}, {1, 0, 2});
  shape.set_dynamic_dimension(2, true);
  shape.DeleteDimension(0);
  EXPECT_EQ(shape.ToString(), "f32[3,<=4]{0,1}");
}

TEST(Shape, LayoutsAreGivenAndTakenAtAnyDepth) {
  Shape shape = Shape::Tuple({WithOrder(kF32, {2, 3}, {0, 1}),
                              Shape::Array(kF32, {4, 5}), Shape::Token()});
  shape.SetDescendingLayouts();
  EXPECT_EQ(shape.ToString(), "(f32[2,3]{0,1}, f32[4,5]{1,0}, token[])");
  shape.SetDescendingLayouts(/*replace=*/true);
  EXPECT_EQ(shape.ToString(), "(f32[2,3]{1,0}, f32[4,5]{1,0}, token[])");
  shape.ClearLayouts();
  EXPECT_EQ(shape.ToString(), "(f32[2,3], f32[4,5], token[])");
}

TEST(Shape, PartsAreFoundByIndex) {
  const Shape shape = Nested();
  EXPECT_EQ(shape.Subshape({1, 1}).ToString(), "pred[3]{0}");
  EXPECT_EQ(shape.Subshape({}), shape);
  EXPECT_TRUE(shape.IndexIsValid({1, 0}));
  EXPECT_FALSE(shape.IndexIsValid({1, 2}));
  EXPECT_FALSE(shape.IndexIsValid({0, 0}));
  EXPECT_FALSE(shape.IndexIsValid({-1}));
}

TEST(Shape, TraversalIsDepthFirst) {
  std::vector<std::string> all, leaves;
  ForEachSubshape(Nested(), [&](const Shape&, const ShapeIndex& index) {
    all.push_back(ShapeIndexToString(index));
  });
  ForEachLeaf(Nested(), [&](const Shape&, const ShapeIndex& index) {
    leaves.push_back(ShapeIndexToString(index));
  });
  EXPECT_EQ(all, (std::vector<std::string>{"{}", "{0}", "{1}", "{1,0}", "{1,1}",
                                           "{2}"}));
  EXPECT_EQ(leaves, (std::vector<std::string>{"{0}", "{1,0}", "{1,1}", "{2}"}));
  EXPECT_EQ(LeafCount(Nested()), 4);
  EXPECT_EQ(LeafCount(Shape::Tuple({})), 0);
}

TEST(ShapeEquality, AgreesWithHashing) {
  Shape dynamic = F32({2, 3});
  dynamic.set_dynamic_dimension(1, true);
  Shape undone = dynamic;
  undone.set_dynamic_dimension(1, false);
  EXPECT_EQ(undone, F32({2, 3}));
  EXPECT_TRUE(absl::VerifyTypeImplementsAbslHashCorrectly(
      {Shape(), F32({2, 3}), undone, dynamic, Shape::Array(kF32, {2, 3}),
       WithOrder(kF32, {2, 3}, {0, 1}), F32({3, 2}), Shape::Scalar(kF32),
       Shape::Array(kF32, {}), Shape::Token(), Nested(), Shape::Tuple({}),
       Shape::Buffer(F32({2}))}));
}

TEST(ShapeEquality, OptionsIgnoreOneThingEach) {
  const Shape base = F32({2, 3});
  Shape dynamic = base;
  dynamic.set_dynamic_dimension(0, true);
  auto with_layout = [&](auto change) {
    Layout layout = base.layout();
    change(layout);
    Shape shape = base;
    shape.set_layout(layout);
    return shape;
  };
  struct Case {
    bool ShapeEqual::*option;
    Shape other;
  };
  const Case cases[] = {
      {&ShapeEqual::ignore_layout, WithOrder(kF32, {2, 3}, {0, 1})},
      {&ShapeEqual::ignore_layout, Shape::Array(kF32, {2, 3})},
      {&ShapeEqual::ignore_element_type,
       Shape::ArrayWithDescendingLayout(kS8, {2, 3})},
      {&ShapeEqual::ignore_fp_precision,
       Shape::ArrayWithDescendingLayout(kBF16, {2, 3})},
      {&ShapeEqual::ignore_dynamic_dimension, dynamic},
      {&ShapeEqual::ignore_tiles,
       with_layout([](Layout& l) { l.tiles = {Tile{{8}}}; })},
      {&ShapeEqual::ignore_element_size,
       with_layout([](Layout& l) { l.element_size_in_bits = 4; })},
      {&ShapeEqual::ignore_memory_space,
       with_layout([](Layout& l) { l.memory_space = 1; })},
      {&ShapeEqual::ignore_tail_padding, with_layout([](Layout& l) {
         l.tail_padding_alignment_in_elements = 8;
       })},
      {&ShapeEqual::ignore_split_configs,
       with_layout([](Layout& l) { l.split_configs = {SplitConfig{}}; })},
      {&ShapeEqual::minor_to_major_only,
       with_layout([](Layout& l) { l.index_primitive_type = kU32; })},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.other.ToString());
    ShapeEqual equal;
    EXPECT_FALSE(equal(base, test.other));
    EXPECT_FALSE(equal(Shape::Tuple({base}), Shape::Tuple({test.other})));
    equal.*test.option = true;
    EXPECT_TRUE(equal(base, test.other));
    EXPECT_TRUE(equal(Shape::Tuple({base}), Shape::Tuple({test.other})));
    EXPECT_FALSE(equal(base, F32({2, 4})));
    EXPECT_FALSE(equal(base, Shape::Tuple({base})));
  }
}

TEST(ShapeEquality, CompatibleMeansSameTypesAndSizes) {
  Shape other = WithOrder(kF32, {2, 3}, {0, 1});
  other.set_dynamic_dimension(0, true);
  EXPECT_TRUE(ShapesCompatible(F32({2, 3}), other));
  EXPECT_FALSE(ShapesCompatible(F32({2, 3}), F32({3, 2})));
  EXPECT_FALSE(ShapesCompatible(Shape::Scalar(kF32), Shape::Scalar(kF16)));
  EXPECT_TRUE(ShapesCompatible(Nested(), Nested()));
}

TEST(Shape, InterningSharesEqualShapes) {
  const Shape a = F32({2, 3}).Interned();
  const Shape b = F32({2, 3}).Interned();
  EXPECT_EQ(&a.layout(), &b.layout());
  EXPECT_EQ(a.dimensions().data(), b.dimensions().data());
  EXPECT_EQ(Nested().Interned(), Nested());
  EXPECT_EQ(Shape().Interned(), Shape());
  std::thread([&] { EXPECT_EQ(F32({2, 3}).Interned(), a); }).join();
}

TEST(ShapeSize, CountsElementsAndSaturates) {
  EXPECT_EQ(ElementsIn(Shape::Scalar(kF32)), 1);
  EXPECT_EQ(ElementsIn(F32({2, 3, 4})), 24);
  EXPECT_EQ(ElementsIn(F32({kMaxInt64, kMaxInt64, 0})), 0);
  EXPECT_EQ(ElementsIn(F32({kMaxInt64, 2})), kMaxInt64);
  EXPECT_EQ(ElementsIn(Shape::Array(kF32, {kUnboundedSize, 2})), kMaxInt64);
}

TEST(ShapeSize, CountsBytes) {
  EXPECT_EQ(ByteSizeOf(F32({2, 3})), 24);
  EXPECT_EQ(ByteSizeOf(Shape::Scalar(kC128)), 16);
  EXPECT_EQ(ByteSizeOf(Shape::Array(kS4, {3})), 3);
  Shape packed = Shape::Array(kS4, {3});
  Layout layout = Layout::Descending(1);
  layout.element_size_in_bits = 4;
  packed.set_layout(layout);
  EXPECT_EQ(ByteSizeOf(packed), 2);
  EXPECT_EQ(ByteSizeOf(Nested()), 24);
  EXPECT_EQ(ByteSizeOf(Nested(), 4), 12);
  EXPECT_EQ(ByteSizeOf(Shape::Token()), 0);
  EXPECT_EQ(ByteSizeOf(Shape::Buffer(F32({2}))), 8);
  EXPECT_EQ(ByteSizeOf(F32({kMaxInt64 / 2})), kMaxInt64);
}

TEST(ShapeValidation, AcceptsWhatModulesContain) {
  for (const Shape& shape :
       {F32({2, 3}), Shape::Scalar(kF32), Shape::Array(kF32, {0}), Nested(),
        Shape::Tuple({}), Shape::Token(), Shape::Opaque(),
        Shape::Buffer(F32({2})), Shape::Array(kF32, {kUnboundedSize, 2}),
        WithOrder(kF32, {2, 3}, {0, 1})}) {
    EXPECT_TRUE(ValidateShape(shape).ok()) << ValidateShape(shape);
  }
}

TEST(ShapeValidation, RefusesWhatCannotBe) {
  Shape unmarked = Shape::Array(kF32, {kUnboundedSize});
  unmarked.set_dynamic_dimension(0, false);
  const Shape token_with_size = Shape::Array(kToken, {2});
  for (const Shape& shape :
       {Shape(), F32({-1}), unmarked, token_with_size,
        WithOrder(kF32, {2, 3}, {0}), WithOrder(kF32, {2, 3}, {0, 0}),
        WithOrder(kF32, {2, 3}, {0, 2}), WithOrder(kF32, {2, 3}, {0, -1}),
        F32({kMaxInt64, 2}), F32({kMaxInt64 / 4 + 1}), Shape::Buffer(Nested()),
        Shape::Tuple({Shape::Tuple({F32({-5})})})}) {
    const absl::Status status = ValidateShape(shape);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument)
        << shape.ToString();
    EXPECT_FALSE(status.message().empty());
  }
}

}  // namespace
}  // namespace hlokit
