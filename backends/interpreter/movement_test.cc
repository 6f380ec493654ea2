#include <complex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/strided_copy.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// One of every kind and width.
constexpr PrimitiveType kTypes[] = {kPred, kS4,  kU2,  kS8,  kU16, kS32,
                                    kU64,  kF4E2M1FN, kF8E4M3FN, kBF16, kF16,
                                    kF32,  kF64};

std::string Of(PrimitiveType type, const std::string& rest) {
  return absl::StrCat(PrimitiveTypeName(type), rest);
}

TEST(Movement, MovesElementsOfEveryType) {
  for (PrimitiveType type : kTypes) {
    SCOPED_TRACE(PrimitiveTypeName(type));
    const Literal x = Numbers(type, {2, 2}, {0, 1, 1, 0});
    const Literal one = Numbers(type, {}, {1});
    EXPECT_THAT(
        Values(RunOp(Of(type, "[2,2] transpose(a), dimensions={1,0}"),
                     {Numbers(type, {2, 2}, {0, 1, 0, 0})})),
        ElementsAre(0, 0, 1, 0));
    EXPECT_THAT(Values(RunOp(Of(type, "[4] reshape(a)"), {x})),
                ElementsAre(0, 1, 1, 0));
    EXPECT_THAT(
        Values(RunOp(Of(type, "[1,2] slice(a), slice={[1:2],[0:2]}"), {x})),
        ElementsAre(1, 0));
    EXPECT_THAT(Values(RunOp(Of(type, "[2,2] reverse(a), dimensions={0}"),
                             {Numbers(type, {2, 2}, {0, 1, 0, 0})})),
                ElementsAre(0, 0, 0, 1));
    EXPECT_THAT(Values(RunOp(Of(type, "[3] broadcast(a), dimensions={}"),
                             {one})),
                ElementsAre(1, 1, 1));
    EXPECT_THAT(
        Values(RunOp(Of(type, "[2,4] concatenate(a, a), dimensions={1}"), {x})),
        ElementsAre(0, 1, 0, 1, 1, 0, 1, 0));
    EXPECT_THAT(Values(RunOp(Of(type, "[4] pad(a, b), padding=1_1"),
                             {Numbers(type, {2}, {0, 0}), one})),
                ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(
        Values(RunOp(Of(type, "[2] dynamic-slice(a, b), "
                              "dynamic_slice_sizes={2}"),
                     {Vector(type, {0, 1, 1, 0}), Numbers(kS32, {}, {2})})),
        ElementsAre(1, 0));
    EXPECT_THAT(Values(RunOp(Of(type, "[3] dynamic-update-slice(a, b, c)"),
                             {Vector(type, {0, 0, 0}), Vector(type, {1}),
                              Numbers(kS32, {}, {1})})),
                ElementsAre(0, 1, 0));
    EXPECT_THAT(Values(RunOp(Of(type, "[2,2] copy(a)"), {x})),
                ElementsAre(0, 1, 1, 0));
  }
  const Literal complex = Vector(kC128, {1, 2});
  EXPECT_THAT(Values(RunOp("c128[2] reverse(a), dimensions={0}", {complex})),
              ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(Values(RunOp("c128[2,2] broadcast(a), dimensions={0}",
                           {complex})),
              ElementsAre(1, 0, 1, 0, 2, 0, 2, 0));
}

TEST(StridedCopyTest, AgreesWithPlainLoopsForAnyTransposition) {
  const std::vector<int64_t> sizes = {3, 37, 41};
  std::vector<int64_t> order = {0, 1, 2};
  std::vector<uint16_t> source(3 * 37 * 41), target(source.size());
  for (size_t i = 0; i < source.size(); ++i) source[i] = i;
  const DimensionVector strides = RowMajorStrides(sizes);
  do {
    std::vector<int64_t> shape;
    for (int64_t d : order) shape.push_back(sizes[d]);
    const DimensionVector to = RowMajorStrides(shape);
    CopyLoops loops;
    for (int i = 0; i < 3; ++i) {
      loops.push_back({shape[i], strides[order[i]], to[i]});
    }
    StridedCopy(loops, reinterpret_cast<const char*>(source.data()),
                reinterpret_cast<char*>(target.data()), 2);
    for (int64_t a = 0; a < shape[0]; ++a) {
      for (int64_t b = 0; b < shape[1]; ++b) {
        for (int64_t c = 0; c < shape[2]; ++c) {
          ASSERT_EQ(target[(a * shape[1] + b) * shape[2] + c],
                    a * strides[order[0]] + b * strides[order[1]] +
                        c * strides[order[2]]);
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Movement, BroadcastPutsOperandDimensionsWhereItIsTold) {
  EXPECT_THAT(Values(RunOp("s32[2,3,2] broadcast(a), dimensions={0,2}",
                           {Numbers(kS32, {2, 2}, {1, 2, 3, 4})})),
              ElementsAre(1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4));
  EXPECT_THAT(Values(RunOp("s32[2,2] broadcast(a), dimensions={1,0}",
                           {Numbers(kS32, {2, 2}, {1, 2, 3, 4})})),
              ElementsAre(1, 3, 2, 4));
}

TEST(Movement, SlicesWithStrides) {
  EXPECT_THAT(Values(RunOp("s32[2,2] slice(a), slice={[0:4:3],[1:5:2]}",
                           {Counting(kS32, {4, 5})})),
              ElementsAre(1, 3, 16, 18));
  EXPECT_THAT(
      Values(RunOp("s32[0] slice(a), slice={[2:2]}", {Counting(kS32, {4})})),
      ElementsAre());
}

TEST(Movement, PadFillsTheInteriorFirstAndCutsAtNegativeEdges) {
  const Literal nine = Numbers(kS32, {}, {9});
  EXPECT_THAT(Values(RunOp("s32[5] pad(a, b), padding=-1_-1_1",
                           {Vector(kS32, {1, 2, 3, 4}), nine})),
              ElementsAre(9, 2, 9, 3, 9));
  EXPECT_THAT(Values(RunOp("s32[3] pad(a, b), padding=-3_-1_1",
                           {Vector(kS32, {1, 2, 3, 4}), nine})),
              ElementsAre(9, 3, 9));
  EXPECT_THAT(Values(RunOp("s32[4] pad(a, b), padding=2_2",
                           {Numbers(kS32, {0}, {}), nine})),
              ElementsAre(9, 9, 9, 9));
  EXPECT_THAT(Values(RunOp("s32[3,3] pad(a, b), padding=0_1x1_0",
                           {Numbers(kS32, {2, 2}, {1, 2, 3, 4}), nine})),
              ElementsAre(9, 1, 2, 9, 3, 4, 9, 9, 9));
  EXPECT_THAT(Values(RunOp("s32[2] pad(a, b), padding=-9_8_0",
                           {Vector(kS32, {1, 2, 3}), nine})),
              ElementsAre(9, 9));
}

TEST(Movement, DynamicIndicesAreClampedByTheirOwnSignedness) {
  const Literal x = Counting(kS32, {8});
  const auto slice = [&](Literal start) {
    return Values(RunOp("s32[3] dynamic-slice(a, b), dynamic_slice_sizes={3}",
                        {x, start}));
  };
  EXPECT_THAT(slice(Numbers(kS32, {}, {-4})), ElementsAre(0, 1, 2));
  EXPECT_THAT(slice(Numbers(kS32, {}, {7})), ElementsAre(5, 6, 7));
  EXPECT_THAT(slice(Numbers(kU8, {}, {200})), ElementsAre(5, 6, 7));
  EXPECT_THAT(slice(Literal::Scalar<uint64_t>(~uint64_t{0})),
              ElementsAre(5, 6, 7));
  EXPECT_THAT(Values(RunOp("s32[4] dynamic-update-slice(a, b, c)",
                           {Counting(kS32, {4}), Vector(kS32, {8, 9}),
                            Numbers(kS32, {}, {3})})),
              ElementsAre(0, 1, 8, 9));
  // All indices in one array.
  EXPECT_THAT(
      Values(RunOp("s32[1,1] dynamic-slice(a, b), dynamic_slice_sizes={1,1}",
                   {Counting(kS32, {2, 3}), Vector(kS32, {1, 1})})),
      ElementsAre(4));
}

TEST(Movement, AnUpdateIsReadBeforeItIsOverwritten) {
  EXPECT_THAT(Values(RunText("ENTRY e { a = s32[4] parameter(0)\n"
                         "h = s32[3] slice(a), slice={[0:3]}\n"
                         "c = s32[] constant(1)\n"
                         "ROOT r = s32[4] dynamic-update-slice(a, h, c) }",
                         {Counting(kS32, {4})})),
              ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(Values(RunText("ENTRY e { a = s32[4] parameter(0)\n"
                         "b = s32[4] negate(a)\n"
                         "c = s32[] constant(0)\n"
                         "ROOT r = s32[4] dynamic-update-slice(b, b, c) }",
                         {Counting(kS32, {4})})),
              ElementsAre(0, -1, -2, -3));
}

TEST(Movement, ArgumentsAreNeverChangedInPlace) {
  const Literal x = Counting(kS32, {4});
  RunText("ENTRY e { a = s32[4] parameter(0)\n"
      "u = s32[1] constant({9})\n"
      "c = s32[] constant(1)\n"
      "ROOT r = s32[4] dynamic-update-slice(a, u, c) }",
      {x});
  EXPECT_THAT(Values(x), ElementsAre(0, 1, 2, 3));
}

TEST(Iota, CountsAlongOneDimensionAndWraps) {
  EXPECT_THAT(Values(RunText("ENTRY e { ROOT r = s32[2,3] iota(), "
                         "iota_dimension=1 }")),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Values(RunText("ENTRY e { ROOT r = f32[2,3] iota(), "
                         "iota_dimension=0 }")),
              ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_EQ(Values(RunText("ENTRY e { ROOT r = s8[300] iota(), "
                       "iota_dimension=0 }"))[200],
            -56);
  EXPECT_EQ(Values(RunText("ENTRY e { ROOT r = bf16[300] iota(), "
                       "iota_dimension=0 }"))[259],
            260);
  EXPECT_THAT(Values(RunText("ENTRY e { ROOT r = u2[6] iota(), "
                         "iota_dimension=0 }")),
              ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_THAT(Values(RunText("ENTRY e { ROOT r = c64[2] iota(), "
                         "iota_dimension=0 }")),
              ElementsAre(0, 0, 1, 0));
}

TEST(Bitcast, ReadsMemoryInTheOrderOfTheLayouts) {
  // A transposition in memory terms: the bytes stay.
  EXPECT_THAT(Values(RunText("ENTRY e { a = f32[2,3]{1,0} parameter(0)\n"
                         "ROOT r = f32[3,2]{0,1} bitcast(a) }",
                         {Counting(kF32, {2, 3})})),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Values(RunText("ENTRY e { a = f32[2,3]{0,1} parameter(0)\n"
                         "ROOT r = f32[6]{0} bitcast(a) }",
                         {Counting(kF32, {2, 3})})),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(Values(RunText("ENTRY e { a = f32[2,3]{1,0} parameter(0)\n"
                         "ROOT r = f32[6]{0} bitcast(a) }",
                         {Counting(kF32, {2, 3})})),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Bitcast, ReinterpretsBytesAndPackedNibbles) {
  EXPECT_THAT(Values(RunText("ENTRY e { a = s32[2]{0} parameter(0)\n"
                         "ROOT r = f32[2]{0} bitcast(a) }",
                         {Vector(kS32, {0x3F800000, 0})})),
              ElementsAre(1, 0));
  EXPECT_THAT(Values(RunText("ENTRY e { a = s8[2]{0} parameter(0)\n"
                         "ROOT r = s4[4]{0:E(4)} bitcast(a) }",
                         {Vector(kS8, {0x21, 0x43})})),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(RunText("ENTRY e { a = s4[4]{0:E(4)} parameter(0)\n"
                         "ROOT r = u8[2]{0} bitcast(a) }",
                         {Vector(kS4, {1, 2, 3, -4})})),
              ElementsAre(0x21, 0xC3));
}

// --- Dynamic dimensions. ---

// s32[<=4] with the live part {0, ..., size - 1} and rubbish behind.
std::string Dynamic(int size) {
  return absl::StrCat(
      "ENTRY e { a = s32[4] parameter(0)\n n = s32[] constant(", size,
      ")\n d = s32[<=4] set-dimension-size(a, n), dimensions={0}\n");
}

std::vector<double> Live(const Literal& array) { return Values(Compact(array)); }

TEST(DynamicSizes, AreSetAndRead) {
  const Literal x = Counting(kS32, {4});
  const Literal d = RunText(Dynamic(3) + "ROOT r = s32[<=4] negate(d) }", {x});
  EXPECT_EQ(d.dynamic_size(0), 3);
  EXPECT_THAT(Live(d), ElementsAre(0, -1, -2));
  EXPECT_EQ(RunText(Dynamic(3) + "ROOT r = s32[] get-dimension-size(d), "
                             "dimensions={0} }",
                {x})
                .GetAsInt64(0),
            3);
  EXPECT_EQ(RunText("ENTRY e { a = s32[4] parameter(0)\n"
                "ROOT r = s32[] get-dimension-size(a), dimensions={0} }",
                {x})
                .GetAsInt64(0),
            4);
  EXPECT_THAT(
      TryExecute(Dynamic(5) + "ROOT r = s32[<=4] negate(d) }", {x}).status()
          .ToString(),
      HasSubstr("beyond the bound 4"));
}

TEST(DynamicSizes, OnlyTheLivePartMoves) {
  const Literal x = Counting(kS32, {4});
  const auto live = [&](const std::string& line) {
    return Live(RunText(Dynamic(3) + line + " }", {x}));
  };
  EXPECT_THAT(live("ROOT r = s32[<=4] reverse(d), dimensions={0}"),
              ElementsAre(2, 1, 0));
  EXPECT_THAT(live("ROOT r = s32[<=8] concatenate(d, a), dimensions={0}"),
              ElementsAre(0, 1, 2, 0, 1, 2, 3));
  EXPECT_THAT(live("z = s32[] constant(9)\n"
                   "ROOT r = s32[<=6] pad(d, z), padding=1_1"),
              ElementsAre(9, 0, 1, 2, 9));
  EXPECT_THAT(live("ROOT r = s32[2,<=4] broadcast(d), dimensions={1}"),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(live("ROOT r = s32[<=2] slice(d), slice={[0:4:2]}"),
              ElementsAre(0, 2));
  EXPECT_THAT(live("ROOT r = s32[<=4,1] reshape(d)"), ElementsAre(0, 1, 2));
  EXPECT_THAT(live("b = s32[2,<=4] broadcast(d), dimensions={1}\n"
                   "ROOT r = s32[<=8] reshape(b)"),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(live("b = s32[<=4,2] broadcast(d), dimensions={0}\n"
                   "ROOT r = s32[2,<=4] transpose(b), dimensions={1,0}"),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(live("two = s32[] constant(2)\n"
                   "ROOT r = s32[<=4,2] dynamic-reshape(a, two, two)"),
              ElementsAre(0, 1, 2, 3));
}

TEST(DynamicSizes, SmallerArgumentsFitDynamicParameters) {
  EXPECT_THAT(Live(RunText("ENTRY e { a = s32[<=4] parameter(0)\n"
                       "ROOT r = s32[<=4] negate(a) }",
                       {Vector(kS32, {1, 2})})),
              ElementsAre(-1, -2));
}

TEST(DynamicSizes, CompactAndExpandAreInverses) {
  Shape bounds = Shape::ArrayWithDescendingLayout(kF32, {3, 4});
  bounds.set_dynamic_dimension(1, true);
  const Literal live = Counting(kF32, {3, 2});
  const Literal expanded = ExpandToBounds(live, bounds);
  EXPECT_THAT(Values(expanded),
              ElementsAre(0, 1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0));
  EXPECT_EQ(expanded.dynamic_size(1), 2);
  EXPECT_EQ(Compact(expanded), live);
}

TEST(Movement, RefusesAttributesThatDoNotFit) {
  const Literal x = Counting(kS32, {2, 3});
  EXPECT_FALSE(OpError("s32[2,2] slice(a), slice={[0:2],[2:4]}", {x}).ok());
  EXPECT_FALSE(OpError("s32[3,3] transpose(a), dimensions={1,0}", {x}).ok());
  EXPECT_FALSE(OpError("s32[2,7] concatenate(a, a), dimensions={1}", {x}).ok());
  EXPECT_FALSE(OpError("s32[7] reshape(a)", {x}).ok());
}

}  // namespace
}  // namespace hlokit::interpreter
