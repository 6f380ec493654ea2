#include "replay/compare.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
Literal Vector(std::vector<T> values) {
  return Literal::Array<T>({static_cast<int64_t>(values.size())},
                           absl::MakeConstSpan(values));
}
Literal Floats(std::vector<float> values) { return Vector<float>(values); }

bool Close(float expected, float actual, ErrorSpec spec = {}) {
  return Compare(Floats({expected}), Floats({actual}), spec).equal;
}

TEST(CompareTest, AnElementIsBadOnlyIfBothBoundsAreExceeded) {
  EXPECT_TRUE(Close(1000, 1000.5));    // relative error 5e-4
  EXPECT_TRUE(Close(1e-5, 9e-4));      // absolute error below 1e-3
  EXPECT_FALSE(Close(1, 1.01));
  EXPECT_TRUE(Close(1, 1.01, {0.1, 0}));
  EXPECT_TRUE(Close(1, 1.01, {0, 0.1}));
  EXPECT_FALSE(Close(0, 1));           // relative error infinite
  EXPECT_TRUE(Close(0, 1e-4));
}

TEST(CompareTest, SpecialValues) {
  EXPECT_TRUE(Close(kNan, kNan, {0, 0}));
  EXPECT_TRUE(Close(kNan, -kNan, {0, 0}));
  EXPECT_FALSE(Close(kNan, 1, {1e30, 1e30}));
  EXPECT_FALSE(Close(1, kNan, {1e30, 1e30}));
  EXPECT_TRUE(Close(kInf, kInf, {0, 0}));
  EXPECT_FALSE(Close(kInf, -kInf, {1e30, 1e30}));
  EXPECT_FALSE(Close(kInf, 3e38f, {1e38, 1e30}));
  EXPECT_TRUE(Close(0.0f, -0.0f, {0, 0}));
}

TEST(CompareTest, IntegersAndPredicatesMustBeEqual) {
  EXPECT_FALSE(
      Compare(Vector<int32_t>({1000000}), Vector<int32_t>({1000001}), {10, 10})
          .equal);
  EXPECT_TRUE(
      Compare(Vector<int64_t>({-5}), Vector<int64_t>({-5}), {0, 0}).equal);
  EXPECT_FALSE(
      Compare(Vector<uint64_t>({~uint64_t{0}}),
              Vector<uint64_t>({~uint64_t{0} - 1}), {1e30, 1e30})
          .equal);
  Literal yes = Literal::Scalar<bool>(true);
  Literal no = Literal::Scalar<bool>(false);
  EXPECT_FALSE(Compare(yes, no, {10, 10}).equal);
}

TEST(CompareTest, CountsMismatchesAndKeepsTheWorst) {
  std::vector<float> expected, actual;
  for (int i = 0; i < 100; ++i) {
    expected.push_back(1);
    actual.push_back(i < 8 ? 1 : 1 + 0.01f * i);
  }
  actual[20] = kNan;
  const Comparison c = Compare(Floats(expected), Floats(actual), {1e-3, 1e-3});
  ASSERT_EQ(c.different.size(), 1u);
  const ArrayComparison& array = c.different[0];
  EXPECT_EQ(array.elements, 100);
  EXPECT_EQ(array.mismatches, 92);
  EXPECT_EQ(array.nan_mismatches, 1);
  EXPECT_EQ(array.first.linear, 8);
  std::vector<int64_t> worst;
  for (const Mismatch& m : array.worst) worst.push_back(m.linear);
  EXPECT_THAT(worst, ElementsAre(20, 99, 98, 97, 96));
  EXPECT_EQ(c.max_abs_error, std::numeric_limits<double>::infinity());
}

TEST(CompareTest, BucketsCountElementsAboveEachError) {
  const Comparison c =
      Compare(Floats({1, 1, 1, 1, 0.5}),
              Floats({1.00005f, 1.0005f, 1.05f, 3, 0.5}), {1e-3, 1e-3});
  ASSERT_EQ(c.different.size(), 1u);
  EXPECT_THAT(c.different[0].abs_above, ElementsAre(3, 2, 2, 1, 1));
  EXPECT_THAT(c.different[0].rel_above, ElementsAre(3, 2, 2, 1, 1));
  EXPECT_EQ(c.different[0].exceed_abs, 2);
  // Bad actual values: 1.05 and 3, both 1 or more.
  EXPECT_THAT(c.different[0].magnitude, ElementsAre(0, 0, 0, 0, 0, 2));
}

TEST(CompareTest, DistancesAreInUnitsOfTheLastPlace) {
  const float next = std::nextafter(1.0f, 2.0f);
  EXPECT_EQ(Compare(Floats({1}), Floats({next}), {1, 1}).max_ulps, 1);
  // From the smallest negative to the smallest positive number over zero.
  EXPECT_EQ(Compare(Floats({-1.4e-45f}), Floats({1.4e-45f}), {1, 1}).max_ulps,
            2);
  EXPECT_EQ(Compare(Floats({0.0f}), Floats({-0.0f}), {0, 0}).max_ulps, 0);
  EXPECT_EQ(Compare(Vector<double>({1}), Vector<double>({1 + 4.5e-16}), {1, 1})
                .max_ulps,
            2);
  EXPECT_EQ(Compare(Vector<double>({-1.7e308}), Vector<double>({1.7e308}),
                    {1.7e308, 2})
                .max_ulps,
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Compare(Vector<BFloat16>({BFloat16(1.0f)}),
                    Vector<BFloat16>({BFloat16(1.015625f)}), {1, 1})
                .max_ulps,
            2);
}

TEST(CompareTest, ABadComplexNumberCountsOnce) {
  using C = std::complex<float>;
  const Comparison c = Compare(Vector<C>({C(1, 1), C(2, 2), C(0, kNan)}),
                               Vector<C>({C(5, 5), C(2, 2.00001f), C(0, kNan)}),
                               {1e-3, 1e-3});
  ASSERT_EQ(c.different.size(), 1u);
  EXPECT_EQ(c.different[0].mismatches, 1);
}

TEST(CompareTest, EverySuggestedToleranceWouldPass) {
  const Literal expected = Floats({1, 100, 1e-3f, 5, 0});
  const Literal actual = Floats({1.5f, 101, 3e-3f, 5.01f, 0.2f});
  const Comparison c = Compare(expected, actual, {1e-3, 1e-3});
  ASSERT_EQ(c.different.size(), 1u);
  ASSERT_FALSE(c.different[0].suggestions.empty());
  for (const ErrorSpec& spec : c.different[0].suggestions) {
    EXPECT_TRUE(Compare(expected, actual, spec).equal)
        << spec.abs << " " << spec.rel;
    // Neither bound can be lowered much.
    if (spec.abs > 0) {
      EXPECT_FALSE(
          Compare(expected, actual, {spec.abs * 0.4, spec.rel}).equal);
    }
    if (spec.rel > 0) {
      EXPECT_FALSE(
          Compare(expected, actual, {spec.abs, spec.rel * 0.4}).equal);
    }
  }
}

TEST(CompareTest, NoToleranceLetsANanPass) {
  const Comparison c = Compare(Floats({1, 2}), Floats({1.5f, kNan}), {});
  ASSERT_EQ(c.different.size(), 1u);
  EXPECT_TRUE(c.different[0].suggestions.empty());
}

TEST(CompareTest, ShapesMustAgreeButLayoutsNeedNot) {
  Literal a = Literal::Zeros(Shape::ArrayWithDescendingLayout(kF32, {2, 3}));
  Shape shape = a.shape();
  Layout layout;
  layout.minor_to_major = {0, 1};
  shape.set_layout(layout);
  EXPECT_TRUE(Compare(a, Literal::Zeros(shape), {}).equal);
  const Comparison c = Compare(
      a, Literal::Zeros(Shape::ArrayWithDescendingLayout(kF32, {3, 2})), {});
  EXPECT_FALSE(c.equal);
  EXPECT_THAT(c.shape_error, HasSubstr("f32[2,3]"));
  EXPECT_THAT(c.shape_error, HasSubstr("f32[3,2]"));
  EXPECT_FALSE(Compare(Literal::Scalar<int32_t>(0), Literal::Scalar<uint32_t>(0),
                       {})
                   .equal);
  EXPECT_FALSE(Compare(Literal::Tuple({a}), a, {}).equal);
}

TEST(CompareTest, OnlyTheLivePartOfDynamicArraysCounts) {
  Shape shape = Shape::ArrayWithDescendingLayout(kF32, {4});
  shape.set_dynamic_dimension(0, true);
  Literal a = Literal::Zeros(shape);
  Literal b = Literal::Zeros(shape);
  a.set_dynamic_size(0, 2);
  b.set_dynamic_size(0, 2);
  b.SetFromDouble(3, 7);
  EXPECT_TRUE(Compare(a, b, {}).equal);
  b.set_dynamic_size(0, 3);
  const Comparison c = Compare(a, b, {});
  EXPECT_FALSE(c.equal);
  EXPECT_THAT(c.shape_error, HasSubstr("expected size 2"));
}

TEST(CompareTest, TheMaskMarksWhatIsBad) {
  const Literal expected = Literal::Tuple({Floats({1, 2, 3}), Floats({0})});
  const Literal actual = Literal::Tuple({Floats({1, 5, 3}), Floats({9})});
  const Literal mask = MismatchMask(expected, actual, {});
  EXPECT_THAT(mask.Sub({0}).data<bool>(), ElementsAre(false, true, false));
  EXPECT_THAT(mask.Sub({1}).data<bool>(), ElementsAre(true));
}

TEST(CompareTest, TheReportHasWhatToolsLookFor) {
  const Literal expected = Floats({1, 2, 4, 8});
  const Literal actual = Floats({1, 2, 4.5f, kNan});
  const ErrorSpec spec;
  const std::string text =
      Describe(Compare(expected, actual, spec), expected, actual, spec);
  EXPECT_THAT(text, HasSubstr("Mismatch count 2 (50.0000%) in shape f32[4] (4 "
                              "elements), abs bound 0.001, rel bound 0.001"));
  EXPECT_THAT(text, HasSubstr("nan mismatches 1"));
  EXPECT_THAT(text, HasSubstr("index {2}"));
  EXPECT_THAT(text, HasSubstr("f32[4] {1, 2, 4, 8}"));
  EXPECT_THAT(text, HasSubstr("No finite tolerance would pass."));
}

TEST(CompareTest, TheReportNamesPartsOfTuplesAndShortensLargeLiterals) {
  const Literal expected =
      Literal::Tuple({Floats({1}), Floats(std::vector<float>(1000, 0))});
  const Literal actual =
      Literal::Tuple({Floats({1}), Floats(std::vector<float>(1000, 1))});
  const std::string text =
      Describe(Compare(expected, actual, {}), expected, actual, {});
  EXPECT_THAT(text, HasSubstr("Mismatches in shape (f32[1], f32[1000])"));
  EXPECT_THAT(text, HasSubstr("Array at shape index {1}"));
  EXPECT_THAT(text,
              HasSubstr("[TRUNCATED, Literal with more than 1000 values]"));
  EXPECT_THAT(text, Not(HasSubstr("Array at shape index {0}")));
}

}  // namespace
}  // namespace hlokit
