#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A reduce of `a` with one binary operation from `init`.
std::string Reduction(const Literal& a, absl::string_view opcode,
                      absl::string_view init, absl::string_view result,
                      absl::string_view dimensions) {
  return absl::StrReplaceAll(R"(
f { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = T[] OP(x, y) }
ENTRY e {
  a = SHAPE parameter(0)
  i = T[] constant(INIT)
  ROOT r = RESULT reduce(a, i), dimensions={DIMS}, to_apply=f
})",
                             {{"T[", absl::StrCat(PrimitiveTypeName(a.element_type()), "[")},
                              {"OP", opcode},
                              {"SHAPE", a.shape().ToString()},
                              {"INIT", init},
                              {"RESULT", result},
                              {"DIMS", dimensions}});
}

std::string ArrayText(PrimitiveType type, absl::string_view sizes) {
  return absl::StrCat(PrimitiveTypeName(type), "[", sizes, "]");
}

// {1, 1; 2, 2} in each type that can add, integers modulo their range.
std::vector<PrimitiveType> NumericTypes() {
  std::vector<PrimitiveType> types;
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits > 0 && info.type != kPred) types.push_back(info.type);
  }
  return types;
}
Literal Integers(PrimitiveType type, std::vector<int64_t> sizes,
                 std::vector<int64_t> values) {
  Literal result = Literal::Zeros(Shape::ArrayWithDescendingLayout(type, sizes));
  for (size_t i = 0; i < values.size(); ++i) result.SetFromInt64(i, values[i]);
  return result;
}

TEST(Reduce, AddsElementsOfEveryNumericType) {
  for (PrimitiveType type : NumericTypes()) {
    const Literal a = Integers(type, {2, 2}, {1, 1, 2, 2});
    // e8m0 has no zero to begin with.
    const bool no_zero = type == kF8E8M0FNU;
    const std::string init = IsComplexType(type) ? "(0, 0)"
                             : no_zero           ? "2"
                                                 : "0";
    const Literal want = no_zero ? Integers(type, {2}, {4, 4})
                                 : Integers(type, {2}, {2, 4});
    const Literal got =
        RunText(Reduction(a, "add", init, ArrayText(type, "2"), "1"), {a});
    if (no_zero) continue;  // 2 + 2 * 2 has two neighbours
    EXPECT_EQ(got, want) << PrimitiveTypeName(type) << got.ToString();
  }
}

TEST(Reduce, MultipliesElementsOfEveryNumericType) {
  for (PrimitiveType type : NumericTypes()) {
    const Literal a = Integers(type, {2, 2}, {1, 1, 2, 2});
    const std::string init = IsComplexType(type) ? "(1, 0)"
                             : type == kS1       ? "-1"
                                                 : "1";
    const int64_t one = 1, four = 4;
    const Literal got =
        RunText(Reduction(a, "multiply", init, ArrayText(type, "2"), "1"), {a});
    EXPECT_EQ(got, Integers(type, {2}, {one, four})) << PrimitiveTypeName(type);
  }
}

TEST(Reduce, FindsTheLargestAndSmallestOfEveryOrderedType) {
  for (PrimitiveType type : NumericTypes()) {
    if (IsComplexType(type) || BitWidth(type) < 4) continue;
    const Literal a = Integers(type, {2, 3}, {1, 4, 2, 2, 1, 1});
    EXPECT_EQ(RunText(Reduction(a, "maximum", "1", ArrayText(type, "2"), "1"), {a}),
              Integers(type, {2}, {4, 2}))
        << PrimitiveTypeName(type);
    EXPECT_EQ(RunText(Reduction(a, "minimum", "2", ArrayText(type, "3"), "0"), {a}),
              Integers(type, {3}, {1, 1, 1}))
        << PrimitiveTypeName(type);
  }
}

// The combiner's type decides, not the operand's: reducing converted elements is
// the same. The array is larger than a block of conversions.
TEST(Reduce, ConvertsElementsToTheTypeOfTheCombiner) {
  struct Types { const char *operand, *combiner, *result; };
  for (const Types& t : {Types{"f16", "f32", "f16"}, Types{"bf16", "f32", "f32"},
                         Types{"f32", "bf16", "f32"}, Types{"f16", "f64", "f16"}}) {
    for (const auto& [dimensions, sizes] :
         {std::pair{"0", "20000,2"}, {"1", "3,2"}, {"0,2", "20000"},
          {"0,1,2", ""}}) {
      const bool adds = std::string(dimensions) == "0";
      std::string text = R"(
f { x = C[] parameter(0)  y = C[] parameter(1)  ROOT r = C[] OP(x, y) }
ENTRY e {
  n = s32[3,20000,2] iota(), iota_dimension=1
  k = s32[] constant(7919)
  kb = s32[3,20000,2] broadcast(k), dimensions={}
  m = s32[3,20000,2] multiply(n, kb)
  a = O[3,20000,2] convert(m)
  i = O[] constant(1.2)
  direct = R[SIZES] reduce(a, i), dimensions={DIMS}, to_apply=f
  ac = C[3,20000,2] convert(a)
  ic = C[] convert(i)
  slow = C[SIZES] reduce(ac, ic), dimensions={DIMS}, to_apply=f
  slowr = R[SIZES] convert(slow)
  ROOT t = (R[SIZES], R[SIZES]) tuple(direct, slowr)
})";
      text = absl::StrReplaceAll(
          text, {{"OP(", adds ? "add(" : "maximum("},
                 {"C[", absl::StrCat(t.combiner, "[")},
                 {"O[", absl::StrCat(t.operand, "[")},
                 {"R[", absl::StrCat(t.result, "[")},
                 {"SIZES", sizes},
                 {"DIMS", dimensions}});
      const Literal got = RunText(text, {});
      EXPECT_EQ(got.elements()[0], got.elements()[1])
          << t.operand << " " << t.combiner << " " << dimensions;
    }
  }
}

TEST(Reduce, CombinesBitsOfIntegersAndPreds) {
  const Literal bits = Vector(kU8, {0b1100, 0b1010, 0b1001});
  EXPECT_THAT(Values(RunText(Reduction(bits, "and", "255", "u8[]", "0"), {bits})),
              ElementsAre(0b1000));
  EXPECT_THAT(Values(RunText(Reduction(bits, "or", "0", "u8[]", "0"), {bits})),
              ElementsAre(0b1111));
  EXPECT_THAT(Values(RunText(Reduction(bits, "xor", "0", "u8[]", "0"), {bits})),
              ElementsAre(0b1111));
  const Literal flags = Numbers(kPred, {2, 2}, {1, 0, 1, 1});
  EXPECT_THAT(
      Values(RunText(Reduction(flags, "and", "true", "pred[2]", "1"), {flags})),
      ElementsAre(0, 1));
  EXPECT_THAT(
      Values(RunText(Reduction(flags, "or", "false", "pred[2]", "0"), {flags})),
      ElementsAre(1, 1));
}

TEST(Reduce, TakesAnySetOfDimensions) {
  // a[i][j][k] = 100 i + 10 j + k
  std::vector<double> values;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) values.push_back(100 * i + 10 * j + k);
    }
  }
  const Literal a = Numbers(kS32, {2, 3, 4}, values);
  EXPECT_THAT(Values(RunText(Reduction(a, "add", "0", "s32[3]", "0,2"), {a})),
              ElementsAre(412, 492, 572));
  EXPECT_THAT(Values(RunText(Reduction(a, "add", "0", "s32[2]", "2,1"), {a})),
              ElementsAre(138, 1338));
  EXPECT_THAT(Values(RunText(Reduction(a, "add", "5", "s32[]", "0,1,2"), {a})),
              ElementsAre(1481));
  EXPECT_EQ(RunText(Reduction(a, "add", "0", "s32[2,3,4]", ""), {a}).ToString(),
            a.ToString());
}

TEST(Reduce, GivesTheInitialValueForNothing) {
  const Literal a = Numbers(kF32, {2, 0}, {});
  EXPECT_THAT(Values(RunText(Reduction(a, "add", "7", "f32[2]", "1"), {a})),
              ElementsAre(7, 7));
  EXPECT_EQ(RunText(Reduction(a, "add", "7", "f32[0]", "0"), {a}).element_count(),
            0);
}

TEST(Reduce, RoundsNarrowSumsOnceAtTheEnd) {
  // 1 + 1/256 rounds to 1 in bf16, so one rounding a step would stay at 1.
  for (PrimitiveType type : {kBF16, kF16}) {
    const Literal a = Numbers(type, {1000}, std::vector<double>(1000, 1));
    EXPECT_THAT(
        Values(RunText(Reduction(a, "add", "0", ArrayText(type, ""), "0"), {a})),
        ElementsAre(1000));
  }
}

TEST(Reduce, LosesNothingOfLongFloatSums) {
  std::vector<double> values(1025, 1);
  values[0] = 1e8;
  const Literal a = Vector(kF32, values);
  EXPECT_THAT(Values(RunText(Reduction(a, "add", "0", "f32[]", "0"), {a})),
              ElementsAre(static_cast<float>(1e8 + 1024)));
}

TEST(Reduce, KeepsNanInMaximaAndMinima) {
  const double nan = std::nan("");
  const Literal a = Numbers(kF32, {2, 2}, {1, nan, nan, 2});
  for (const char* opcode : {"maximum", "minimum"}) {
    for (double value :
         Values(RunText(Reduction(a, opcode, "0", "f32[2]", "1"), {a}))) {
      EXPECT_TRUE(std::isnan(value));
    }
  }
}

TEST(Reduce, AppliesOtherCombinersInOrder) {
  const Literal a = Vector(kF32, {1, 2, 3, 4, 5});
  EXPECT_THAT(Values(RunText(Reduction(a, "subtract", "0", "f32[]", "0"), {a})),
              ElementsAre(-15));
}

TEST(Reduce, FindsTheFirstLargestWithItsIndex) {
  const char* text = R"(
f {
  v = f32[] parameter(0)  i = s32[] parameter(1)
  w = f32[] parameter(2)  j = s32[] parameter(3)
  more = pred[] compare(v, w), direction=GT
  is_nan = pred[] compare(v, v), direction=NE
  keep = pred[] or(more, is_nan)
  same = pred[] compare(v, w), direction=EQ
  first = pred[] compare(i, j), direction=LT
  tie = pred[] and(same, first)
  left = pred[] or(keep, tie)
  value = f32[] select(keep, v, w)
  index = s32[] select(left, i, j)
  ROOT r = (f32[], s32[]) tuple(value, index)
}
ENTRY e {
  a = f32[2,4] parameter(0)
  index = s32[2,4] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[2], s32[2]) reduce(a, index, low, zero), dimensions={1}, to_apply=f
})";
  const Literal a = Numbers(kF32, {2, 4}, {3, 9, 1, 9, -5, -2, -7, -2});
  const Literal result = RunText(text, {a});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(9, -2));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(1, 1));
}

TEST(Reduce, IgnoresWhatIsBehindADynamicSize) {
  const char* text = R"(
f { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ENTRY e {
  a = f32[2,4] parameter(0)
  n = s32[] constant(2)
  d = f32[2,<=4] set-dimension-size(a, n), dimensions={1}
  z = f32[] constant(0)
  rows = f32[2] reduce(d, z), dimensions={1}, to_apply=f
  columns = f32[<=4] reduce(d, z), dimensions={0}, to_apply=f
  size = s32[] get-dimension-size(columns), dimensions={0}
  ROOT r = (f32[2], s32[]) tuple(rows, size)
})";
  const Literal result = RunText(text, {Counting(kF32, {2, 4})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(1, 9));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(2));
}

TEST(Reduce, RefusesAResultOfTheWrongShape) {
  const Literal a = Numbers(kF32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const absl::Status status =
      TryExecute(Reduction(a, "add", "0", "f32[3]", "1"), {a}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("f32[3]"));
}

}  // namespace
}  // namespace hlokit::interpreter
