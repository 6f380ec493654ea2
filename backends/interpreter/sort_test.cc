#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/interpreter/merge_sort.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string Sorted(const Literal& a, absl::string_view attributes,
                   int dimension = 0) {
  return absl::StrReplaceAll(R"(
less { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = pred[] compare(x, y), ATTRS }
ENTRY e { a = SHAPE parameter(0)  ROOT r = SHAPE sort(a), dimensions={DIM}, to_apply=less })",
                             {{"T[", absl::StrCat(PrimitiveTypeName(a.element_type()), "[")},
                              {"SHAPE", a.shape().ToString()},
                              {"ATTRS", attributes},
                              {"DIM", absl::StrCat(dimension)}});
}

TEST(MergeSort, IsStableAndEndsWithSenselessComparators) {
  std::vector<int> items = {31, 12, 22, 11, 32, 21}, scratch;
  MergeSort(&items, &scratch, [](int a, int b) { return a / 10 < b / 10; });
  EXPECT_THAT(items, ElementsAre(12, 11, 22, 21, 31, 32));
  MergeSort(&items, &scratch, [](int, int) { return true; });
  EXPECT_THAT(items, ::testing::UnorderedElementsAre(12, 11, 22, 21, 31, 32));
}

TEST(Sort, OrdersEveryOrderedType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits == 0 || IsComplexType(info.type)) continue;
    const bool narrow = info.type == kPred || info.bits < 3;
    const Literal a = narrow ? Vector(info.type, {0, 0, 0, 0})
                             : Vector(info.type, {2, 4, 1, 2});
    const Literal want = narrow ? a : Vector(info.type, {1, 2, 2, 4});
    const Literal back = narrow ? a : Vector(info.type, {4, 2, 2, 1});
    EXPECT_EQ(RunText(Sorted(a, "direction=LT"), {a}), want) << info.name;
    EXPECT_EQ(RunText(Sorted(a, "direction=GT"), {a}), back) << info.name;
  }
  const Literal flags = Vector(kPred, {1, 0, 1, 0});
  EXPECT_THAT(Values(RunText(Sorted(flags, "direction=LT"), {flags})),
              ElementsAre(0, 0, 1, 1));
  const Literal large = Literal::Array<uint64_t>({3}, {~0ull, 1ull, 1ull << 63});
  EXPECT_EQ(RunText(Sorted(large, "direction=LT"), {large}),
            Literal::Array<uint64_t>({3}, {1ull, 1ull << 63, ~0ull}));
  const Literal s64 = Literal::Array<int64_t>(
      {3}, {1, std::numeric_limits<int64_t>::min(), -1});
  EXPECT_EQ(RunText(Sorted(s64, "direction=LT"), {s64}),
            Literal::Array<int64_t>(
                {3}, {std::numeric_limits<int64_t>::min(), -1, 1}));
}

TEST(Sort, GoesAlongItsDimension) {
  const Literal a = Numbers(kS32, {3, 2}, {5, 1, 3, 6, 4, 2});
  EXPECT_THAT(Values(RunText(Sorted(a, "direction=LT", 0), {a})),
              ElementsAre(3, 1, 4, 2, 5, 6));
  EXPECT_THAT(Values(RunText(Sorted(a, "direction=LT", 1), {a})),
              ElementsAre(1, 5, 3, 6, 2, 4));
  const Literal none = Numbers(kS32, {0, 2}, {});
  EXPECT_EQ(RunText(Sorted(none, "direction=LT", 0), {none}).element_count(), 0);
}

TEST(Sort, PutsFloatsInTotalOrder) {
  const Literal a = Vector(kF32, {1, std::nan(""), 0, -kInf, -0.0, -std::nan("")});
  const Literal got = RunText(Sorted(a, "direction=LT, type=TOTALORDER"), {a});
  const auto values = Values(got);
  EXPECT_TRUE(std::isnan(values[0]) && std::signbit(values[0]));
  EXPECT_EQ(values[1], -kInf);
  EXPECT_TRUE(values[2] == 0 && std::signbit(values[2]));
  EXPECT_TRUE(values[3] == 0 && !std::signbit(values[3]));
  EXPECT_EQ(values[4], 1);
  EXPECT_TRUE(std::isnan(values[5]) && !std::signbit(values[5]));
}

TEST(Sort, CarriesOtherOperandsAlongAndKeepsTies) {
  const char* text = R"(
less {
  x = f32[] parameter(0)  y = f32[] parameter(1)
  p = s32[] parameter(2)  q = s32[] parameter(3)
  ROOT r = pred[] compare(x, y), direction=LT
}
ENTRY e {
  a = f32[5] parameter(0)
  i = s32[5] iota(), iota_dimension=0
  ROOT r = (f32[5], s32[5]) sort(a, i), dimensions={0}, is_stable=true, to_apply=less
})";
  const Literal result = RunText(text, {Vector(kF32, {2, 1, 2, 0, 1})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(0, 1, 1, 2, 2));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(3, 1, 4, 0, 2));
}

// The comparator that JAX writes for floats: all NaN equal and last, -0 as 0.
constexpr char kJaxLess[] = R"(
less {
  x = f32[] parameter(0)
  zero = f32[] constant(0)
  xz = pred[] compare(x, zero), direction=EQ
  x1 = f32[] select(xz, zero, x)
  xn = pred[] compare(x, x), direction=NE
  quiet = f32[] constant(nan)
  x2 = f32[] select(xn, quiet, x1)
  y = f32[] parameter(1)
  yz = pred[] compare(y, zero), direction=EQ
  y1 = f32[] select(yz, zero, y)
  yn = pred[] compare(y, y), direction=NE
  y2 = f32[] select(yn, quiet, y1)
  p = s32[] parameter(2)
  q = s32[] parameter(3)
  ROOT r = pred[] compare(x2, y2), direction=LT, type=TOTALORDER
}
ENTRY e {
  a = f32[SIZE] parameter(0)
  i = s32[SIZE] iota(), iota_dimension=0
  s = (f32[SIZE], s32[SIZE]) sort(a, i), dimensions={0}, is_stable=true, to_apply=less
  ROOT r = s32[SIZE] get-tuple-element(s), index=1
})";

TEST(Sort, ComputesKeysOfBothSidesAlike) {
  const Literal a = Vector(kF32, {std::nan(""), 0, -1, -0.0, -std::nan(""), 7});
  EXPECT_THAT(
      Values(RunText(absl::StrReplaceAll(kJaxLess, {{"SIZE", "6"}}), {a})),
      ElementsAre(2, 1, 3, 5, 0, 4));
}

TEST(Sort, IsQuickForAMillionElements) {
  const int size = 1 << 20;
  std::mt19937 random(1);
  std::vector<double> values(size);
  for (double& value : values) value = static_cast<float>(random());
  const Literal got = RunText(
      absl::StrReplaceAll(kJaxLess, {{"SIZE", absl::StrCat(size)}}),
      {Vector(kF32, values)});
  const auto order = got.data<int32_t>();
  for (int i = 1; i < size; ++i) {
    ASSERT_LE(values[order[i - 1]], values[order[i]]);
  }
}

TEST(Sort, TakesComparatorsOfSeveralKeys) {
  const char* text = R"(
less {
  x = s32[] parameter(0)  y = s32[] parameter(1)
  p = f32[] parameter(2)  q = f32[] parameter(3)
  lt = pred[] compare(x, y), direction=LT
  eq = pred[] compare(x, y), direction=EQ
  gt = pred[] compare(p, q), direction=GT
  both = pred[] and(eq, gt)
  ROOT r = pred[] or(lt, both)
}
ENTRY e {
  a = s32[5] parameter(0)
  b = f32[5] parameter(1)
  ROOT r = (s32[5], f32[5]) sort(a, b), dimensions={0}, to_apply=less
})";
  const Literal result =
      RunText(text, {Vector(kS32, {2, 1, 2, 1, 2}), Vector(kF32, {1, 5, 3, 6, 2})});
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(1, 1, 2, 2, 2));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(6, 5, 3, 2, 1));
}

TEST(Sort, LeavesAPermutationWhereNanMakesNoOrder) {
  const Literal a = Vector(kF32, {3, std::nan(""), 1, std::nan(""), 2});
  auto values = Values(RunText(Sorted(a, "direction=LT"), {a}));
  ASSERT_EQ(values.size(), 5u);
  std::erase_if(values, [](double x) { return std::isnan(x); });
  EXPECT_THAT(values, ::testing::UnorderedElementsAre(1, 2, 3));
}

TEST(Sort, RefusesAComparatorOfOtherTypes) {
  const Literal a = Vector(kF32, {2, 1});
  const std::string text = absl::StrReplaceAll(
      Sorted(a, "direction=LT"),
      {{"x = f32[] parameter(0)  y = f32[] parameter(1)",
        "x = f64[] parameter(0)  y = f64[] parameter(1)"}});
  EXPECT_FALSE(TryExecute(text, {a}).ok());
}

TEST(TopK, DescendsWithTheFirstOfEqualOnesFirst) {
  const Literal a = Numbers(kF32, {2, 4}, {1, 4, 4, 2, -1, -4, 0, -2});
  const Literal result =
      RunOp("(f32[2,3], s32[2,3]) topk(a), k=3, largest=true", {a});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(4, 4, 2, 0, -1, -2));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(1, 2, 3, 2, 0, 3));
  const Literal smallest =
      RunOp("(f32[2,1], s32[2,1]) topk(a), k=1, largest=false", {a});
  EXPECT_THAT(Values(smallest.elements()[0]), ElementsAre(1, -4));
  EXPECT_THAT(Values(smallest.elements()[1]), ElementsAre(0, 1));
}

TEST(TopK, RanksNanAboveInfinityAndNegativeNanLast) {
  const Literal a =
      Vector(kF32, {kInf, -std::nan(""), std::nan(""), -kInf, 1});
  const Literal result = RunOp("(f32[5], s32[5]) topk(a), k=5", {a});
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(2, 0, 4, 3, 1));
}

TEST(TopK, TakesEveryOrderedType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits < 4 || IsComplexType(info.type) || info.type == kPred) {
      continue;
    }
    const Literal result =
        RunOp(absl::StrCat("(", info.name, "[2], s32[2]) topk(a), k=2"),
              {Vector(info.type, {2, 1, 4})});
    ASSERT_EQ(result.elements().size(), 2u) << info.name;
    EXPECT_EQ(result.elements()[0], Vector(info.type, {4, 2})) << info.name;
    EXPECT_THAT(Values(result.elements()[1]), ElementsAre(2, 0)) << info.name;
  }
}

}  // namespace
}  // namespace hlokit::interpreter
