#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "backends/interpreter/test_util.h"
#include "backends/interpreter/window_taps.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;

std::string Windowed(const Literal& a, absl::string_view opcode,
                     absl::string_view init, absl::string_view result,
                     absl::string_view window) {
  return absl::StrReplaceAll(R"(
f { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = T[] OP(x, y) }
ENTRY e {
  a = SHAPE parameter(0)
  i = T[] constant(INIT)
  ROOT r = RESULT reduce-window(a, i), window={WINDOW}, to_apply=f
})",
                             {{"T[", absl::StrCat(PrimitiveTypeName(a.element_type()), "[")},
                              {"OP", opcode},
                              {"SHAPE", a.shape().ToString()},
                              {"INIT", init},
                              {"RESULT", result},
                              {"WINDOW", window}});
}

// By the definition: every tap of every position is tried.
std::vector<std::pair<int64_t, int64_t>> TapsByDefinition(
    const WindowDimension& w, int64_t size, int64_t output) {
  std::vector<std::pair<int64_t, int64_t>> taps;
  for (int64_t t = 0; t < w.size; ++t) {
    const int64_t place =
        output * w.stride - w.padding_low + t * w.window_dilation;
    if (place < 0 || place % w.base_dilation != 0) continue;
    if (place / w.base_dilation >= size) continue;
    taps.emplace_back(t, place / w.base_dilation);
  }
  return taps;
}

TEST(WindowTaps, AreThoseOfTheDefinition) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int with_holes = 0;
  for (int i = 0; i < 20000; ++i) {
    WindowDimension w;
    w.size = draw(1, 9);
    w.stride = draw(1, 4);
    w.padding_low = draw(-6, 9);
    w.window_dilation = draw(1, 6);
    w.base_dilation = draw(1, 6);
    const int64_t size = draw(0, 8), output = draw(0, 7);
    const auto want = TapsByDefinition(w, size, output);
    const WindowTaps got = TapsAt(w, size, output);
    ASSERT_EQ(got.count, static_cast<int64_t>(want.size()));
    with_holes += got.count > 1 && got.tap_step > 1;
    for (int64_t j = 0; j < got.count; ++j) {
      EXPECT_EQ(got.first_tap + j * got.tap_step, want[j].first);
      EXPECT_EQ(got.first_index + j * got.index_step, want[j].second);
    }
  }
  EXPECT_GT(with_holes, 100);
}

TEST(WindowTaps, OfHugeWindowsTakeNoTime) {
  WindowDimension w;
  w.size = int64_t{1} << 40;
  w.padding_low = int64_t{1} << 39;
  w.base_dilation = 1000003;
  w.window_dilation = 7;
  const WindowTaps taps = TapsAt(w, 100, 12345);
  // index * 1000003 = 12345 - 2^39 (mod 7) means 4 * index = 3, so index = 6
  // (mod 7): 6, 13, ..., 97.
  EXPECT_EQ(taps.count, 14);
  EXPECT_EQ(taps.first_index % 7, 6);
  EXPECT_EQ(taps.index_step, 7);
  EXPECT_EQ((12345 - w.padding_low + taps.first_tap * 7) % 1000003, 0);
}

TEST(ReduceWindow, SlidesOverVectors) {
  const Literal a = Vector(kF32, {1, 2, 3, 4, 5});
  EXPECT_THAT(
      Values(RunText(Windowed(a, "add", "0", "f32[3]", "size=3"), {a})),
      ElementsAre(6, 9, 12));
  EXPECT_THAT(
      Values(RunText(Windowed(a, "add", "0.5", "f32[2]", "size=3 stride=2"), {a})),
      ElementsAre(6.5, 12.5));
  EXPECT_THAT(Values(RunText(Windowed(a, "maximum", "-inf", "f32[5]",
                                  "size=3 pad=1_1"),
                         {a})),
              ElementsAre(2, 3, 4, 5, 5));
}

TEST(ReduceWindow, LeavesOutPaddingAndHoles) {
  const Literal a = Vector(kF32, {1, 2, 3});
  // Dilated base 1 . 2 . 3, padded by two and one.
  EXPECT_THAT(Values(RunText(Windowed(a, "multiply", "10", "f32[7]",
                                  "size=2 pad=2_1 lhs_dilate=2"),
                         {a})),
              ElementsAre(10, 10, 10, 20, 20, 30, 30));
  // Taps two apart; the first element is cut off.
  EXPECT_THAT(Values(RunText(Windowed(Vector(kS32, {1, 2, 3, 4, 5}), "add", "0",
                                  "s32[2]", "size=2 pad=-1_0 rhs_dilate=2"),
                         {Vector(kS32, {1, 2, 3, 4, 5})})),
              ElementsAre(6, 8));
}

TEST(ReduceWindow, ComputesCumulativeSumsBothWays) {
  const Literal a = Vector(kS32, {1, 2, 3, 4});
  EXPECT_THAT(
      Values(RunText(Windowed(a, "add", "0", "s32[4]", "size=4 pad=3_0"), {a})),
      ElementsAre(1, 3, 6, 10));
  EXPECT_THAT(
      Values(RunText(Windowed(a, "add", "0", "s32[4]", "size=4 pad=0_3"), {a})),
      ElementsAre(10, 9, 7, 4));
}

TEST(ReduceWindow, TakesLongCumulativeSumsInLinearTime) {
  const Literal a = Counting(kF64, {200000});
  const Literal result = RunText(
      Windowed(a, "add", "0", "f64[200000]", "size=200000 pad=199999_0"), {a});
  EXPECT_EQ(result.GetAsDouble(199999), 199999.0 * 200000 / 2);
}

// The general and the separable way must agree.
TEST(ReduceWindow, AgreesWithItselfForCombinersWithoutALoopOfTheirOwn) {
  const Literal a = Numbers(kS32, {3, 4}, {5, -1, 7, 2, 0, 9, -3, 4, 8, 6, 1, 3});
  const char* window = "size=2x3 stride=1x2 pad=1_0x-1_2 rhs_dilate=1x2 lhs_dilate=2x1";
  const std::string fast = Windowed(a, "add", "100", "s32[5,1]", window);
  const std::string slow = absl::StrReplaceAll(
      fast, {{"ROOT r = s32[] add(x, y)",
              "n = s32[] negate(y)  ROOT r = s32[] subtract(x, n)"}});
  const Literal got = RunText(fast, {a});
  EXPECT_EQ(got, RunText(slow, {a}));
  // Row 1 of the output has only the first operand row under it: elements 1
  // and 3 of it (the first is cut off).
  EXPECT_EQ(got.GetAsInt64(0), 100 + -1 + 2);
}

TEST(ReduceWindow, RunsInEveryElementType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits < 4 || info.type == kPred || info.type == kF8E8M0FNU) {
      continue;
    }
    const Literal a = Vector(info.type, {1, 1, 0, 1});
    const std::string zero = IsComplexType(info.type) ? "(0, 0)" : "0";
    const Literal got = RunText(
        Windowed(a, "add", zero,
                 std::string(PrimitiveTypeName(info.type)) + "[3]", "size=2"),
        {a});
    EXPECT_EQ(got, Vector(info.type, {2, 1, 1})) << info.name;
  }
  const Literal flags = Vector(kPred, {1, 0, 0, 1});
  EXPECT_THAT(Values(RunText(Windowed(flags, "or", "false", "pred[3]", "size=2"),
                         {flags})),
              ElementsAre(1, 0, 1));
}

TEST(ReduceWindow, TakesSeveralArrays) {
  const char* text = R"(
f {
  a = f32[] parameter(0)  b = s32[] parameter(1)
  c = f32[] parameter(2)  d = s32[] parameter(3)
  less = pred[] compare(c, a), direction=LT
  v = f32[] select(less, c, a)
  i = s32[] select(less, d, b)
  ROOT r = (f32[], s32[]) tuple(v, i)
}
ENTRY e {
  a = f32[5] parameter(0)
  n = s32[5] iota(), iota_dimension=0
  top = f32[] constant(inf)
  none = s32[] constant(-1)
  ROOT r = (f32[3], s32[3]) reduce-window(a, n, top, none), window={size=3}, to_apply=f
})";
  const Literal result = RunText(text, {Vector(kF32, {3, 1, 4, 1, 5})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(1, 1, 1));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(1, 1, 3));
}

std::string SelectAndScatter(absl::string_view direction,
                             absl::string_view type, absl::string_view init) {
  return absl::StrReplaceAll(R"(
s { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = pred[] compare(x, y), direction=DIR }
f { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = T[] add(x, y) }
ENTRY e {
  a = T[6] parameter(0)
  b = T[3] parameter(1)
  i = T[] constant(INIT)
  ROOT r = T[6] select-and-scatter(a, b, i), window={size=2 stride=2}, select=s, scatter=f
})",
                             {{"T[", absl::StrCat(type, "[")}, {"DIR", direction}, {"INIT", init}});
}

TEST(SelectAndScatter, GivesTheSourceToTheSelectedElement) {
  const std::vector<double> values = {1, 2, 4, 3, 5, 5};
  for (PrimitiveType type : {kF32, kF64, kBF16, kF16, kS32, kU8, kF8E5M2}) {
    const Literal a = Vector(type, values), b = Vector(type, {10, 20, 28});
    // Of equal ones GE keeps the first and GT goes on to the last.
    EXPECT_THAT(
        Values(RunText(SelectAndScatter("GE", PrimitiveTypeName(type), "0"),
                   {a, b})),
        ElementsAre(0, 10, 20, 0, 28, 0))
        << PrimitiveTypeName(type);
    EXPECT_THAT(
        Values(RunText(SelectAndScatter("GT", PrimitiveTypeName(type), "0"),
                   {a, b})),
        ElementsAre(0, 10, 20, 0, 0, 28))
        << PrimitiveTypeName(type);
  }
}

TEST(SelectAndScatter, BeginsWithTheInitialValueAndTakesNan) {
  const Literal a = Vector(kF32, {1, std::nan(""), 4, 3, 5, 5});
  EXPECT_THAT(Values(RunText(SelectAndScatter("GE", "f32", "0.5"),
                         {a, Vector(kF32, {10, 20, 30})})),
              ElementsAre(0.5, 10.5, 20.5, 0.5, 30.5, 0.5));
}

TEST(SelectAndScatter, AddsUpWhereWindowsOverlapAndSkipsPadding) {
  const char* text = R"(
s { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=GE }
f { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }
ENTRY e {
  a = f32[3] parameter(0)
  b = f32[4] parameter(1)
  i = f32[] constant(0)
  ROOT r = f32[3] select-and-scatter(a, b, i), window={size=2 pad=1_1}, select=s, scatter=f
})";
  // The padding is never selected, though it would be larger than -1.
  EXPECT_THAT(Values(RunText(text, {Vector(kF32, {-1, -2, -3}),
                                Vector(kF32, {1, 2, 4, 8})})),
              ElementsAre(3, 4, 8));
}

}  // namespace
}  // namespace hlokit::interpreter
