#include <string>
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

// a[i][j] = 10 i + j
Literal Grid(PrimitiveType type, int64_t rows, int64_t columns) {
  std::vector<double> values;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) values.push_back(10 * i + j);
  }
  return Numbers(type, {rows, columns}, values);
}

constexpr char kRows[] =
    " gather(a, b), offset_dims={1}, collapsed_slice_dims={0}, "
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}";

TEST(Gather, TakesRowsOfEveryElementType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits == 0) continue;
    const Literal a = Numbers(info.type, {3, 3}, {1, 0, 1, 0, 1, 1, 1, 1, 0});
    EXPECT_EQ(RunOp(absl::StrCat(info.name, "[2,3]", kRows),
                    {a, Numbers(kS32, {2, 1}, {2, 1})}),
              Numbers(info.type, {2, 3}, {1, 1, 0, 0, 1, 1}))
        << info.name;
  }
}

TEST(Gather, ClampsIndicesSoThatSlicesFit) {
  const Literal a = Grid(kS32, 3, 3);
  for (PrimitiveType type : {kS8, kS32, kS64, kU8, kU32, kU64}) {
    Literal indices = Literal::Zeros(
        Shape::ArrayWithDescendingLayout(type, {2, 1}));
    indices.SetFromInt64(0, -1);  // of unsigned types the largest value
    indices.SetFromInt64(1, 1);
    const bool is_signed = IsSignedIntType(type);
    const double first = is_signed ? 0 : 20;
    EXPECT_THAT(Values(RunOp(absl::StrCat("s32[2,3]", kRows), {a, indices})),
                ElementsAre(first, first + 1, first + 2, 10, 11, 12))
        << PrimitiveTypeName(type);
  }
  // A window of two columns may begin at 1 at most.
  EXPECT_THAT(
      Values(RunOp("s32[3,2] gather(a, b), offset_dims={0,1}, "
                   "collapsed_slice_dims={}, start_index_map={1}, "
                   "index_vector_dim=0, slice_sizes={3,2}",
                   {a, Vector(kS32, {7})})),
      ElementsAre(1, 2, 11, 12, 21, 22));
}

TEST(Gather, PlacesOffsetDimensionsBetweenBatchDimensions) {
  // Output [window, batch]: both coordinates are indexed.
  const Literal a = Grid(kF32, 4, 5);
  EXPECT_THAT(
      Values(RunOp("f32[2,3] gather(a, b), offset_dims={0}, "
                   "collapsed_slice_dims={1}, start_index_map={1,0}, "
                   "index_vector_dim=1, slice_sizes={2,1}",
                   {a, Numbers(kS32, {3, 2}, {0, 0, 4, 1, 2, 2})})),
      ElementsAre(0, 14, 22, 10, 24, 32));
}

TEST(Gather, AddsAnIndexVectorOfOneWhereThereIsNone) {
  const Literal a = Vector(kS32, {10, 11, 12, 13});
  EXPECT_THAT(
      Values(RunOp("s32[3] gather(a, b), offset_dims={}, "
                   "collapsed_slice_dims={0}, start_index_map={0}, "
                   "index_vector_dim=1, slice_sizes={1}",
                   {a, Vector(kS32, {3, 0, 2})})),
      ElementsAre(13, 10, 12));
}

TEST(Gather, PairsBatchingDimensions) {
  const Literal a = Grid(kS32, 3, 4);
  EXPECT_THAT(
      Values(RunOp("s32[3,2] gather(a, b), offset_dims={}, "
                   "collapsed_slice_dims={1}, start_index_map={1}, "
                   "operand_batching_dims={0}, start_indices_batching_dims={0}, "
                   "index_vector_dim=2, slice_sizes={1,1}",
                   {a, Numbers(kS32, {3, 2}, {0, 3, 1, 1, 2, 0})})),
      ElementsAre(0, 3, 11, 11, 22, 20));
}

TEST(Gather, OfNoIndicesOrNoElementsIsEmpty) {
  EXPECT_EQ(RunOp(absl::StrCat("s32[0,3]", kRows),
                  {Grid(kS32, 3, 3), Numbers(kS32, {0, 1}, {})})
                .element_count(),
            0);
  EXPECT_EQ(RunOp("s32[2,0] gather(a, b), offset_dims={1}, "
                  "collapsed_slice_dims={0}, start_index_map={0}, "
                  "index_vector_dim=1, slice_sizes={1,0}",
                  {Grid(kS32, 3, 3), Numbers(kS32, {2, 1}, {0, 9})})
                .element_count(),
            0);
}

TEST(Gather, RefusesSlicesLargerThanTheOperand) {
  EXPECT_THAT(
      std::string(OpError("s32[1,4] gather(a, b), offset_dims={1}, "
                          "collapsed_slice_dims={0}, start_index_map={0}, "
                          "index_vector_dim=1, slice_sizes={1,4}",
                          {Grid(kS32, 3, 3), Numbers(kS32, {1, 1}, {0})})
                      .message()),
      HasSubstr("4"));
}

// Rows `b` of `a` are combined with those of `c`.
std::string ScatterRows(PrimitiveType type, absl::string_view combiner,
                        absl::string_view a, absl::string_view c,
                        absl::string_view b = "s32[2,1]") {
  return absl::StrReplaceAll(R"(
f { x = T[] parameter(0)  y = T[] parameter(1)  ROOT r = T[] COMBINER }
ENTRY e {
  a = T[A] parameter(0)
  b = B parameter(1)
  c = T[C] parameter(2)
  ROOT r = T[A] scatter(a, b, c), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f
})",
                             {{"T[", absl::StrCat(PrimitiveTypeName(type), "[")},
                              {"COMBINER", combiner},
                              {"A]", absl::StrCat(a, "]")},
                              {"C]", absl::StrCat(c, "]")},
                              {"= B ", absl::StrCat("= ", b, " ")}});
}

TEST(Scatter, AddsRowsOfEveryNumericType) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (info.bits < 4 || info.type == kPred || info.type == kF8E8M0FNU) {
      continue;
    }
    const Literal a = Numbers(info.type, {3, 2}, {1, 2, 1, 2, 1, 2});
    EXPECT_EQ(RunText(ScatterRows(info.type, "add(x, y)", "3,2", "2,2"),
                  {a, Numbers(kS32, {2, 1}, {2, 2}),
                   Numbers(info.type, {2, 2}, {1, 0, 1, 2})}),
              Numbers(info.type, {3, 2}, {1, 2, 1, 2, 3, 4}))
        << info.name;
  }
}

TEST(Scatter, OverwritesInOrderOfTheIndices) {
  EXPECT_THAT(
      Values(RunText(ScatterRows(kF32, "add(y, y)", "2,1", "3,1", "s32[3,1]"),
                 {Numbers(kF32, {2, 1}, {1, 2}),
                  Numbers(kS32, {3, 1}, {1, 1, 1}),
                  Numbers(kF32, {3, 1}, {5, 6, 7})})),
      ElementsAre(1, 14));
  const std::string overwrite = absl::StrReplaceAll(
      ScatterRows(kF32, "add(x, y)", "2,1", "3,1", "s32[3,1]"),
      {{"y = f32[] parameter(1)  ROOT r = f32[] add(x, y)",
        "ROOT y = f32[] parameter(1)"}});
  EXPECT_THAT(Values(RunText(overwrite, {Numbers(kF32, {2, 1}, {1, 2}),
                                     Numbers(kS32, {3, 1}, {1, 1, 1}),
                                     Numbers(kF32, {3, 1}, {5, 6, 7})})),
              ElementsAre(1, 7));
}

TEST(Scatter, LeavesWindowsOutThatDoNotFit) {
  const Literal a = Grid(kS32, 2, 3);
  // Windows of two columns: the last start is 1.
  const char* text = R"(
f { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] multiply(x, y) }
ENTRY e {
  a = s32[2,3] parameter(0)
  b = s32[4] parameter(1)
  c = s32[4,2,2] parameter(2)
  ROOT r = s32[2,3] scatter(a, b, c), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=f
})";
  const Literal tens = Numbers(kS32, {4, 2, 2}, std::vector<double>(16, 10));
  EXPECT_THAT(Values(RunText(text, {a, Vector(kS32, {2, -1, 1, 3}), tens})),
              ElementsAre(0, 10, 20, 10, 110, 120));
}

TEST(Scatter, PairsBatchingDimensions) {
  const char* text = R"(
f { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] add(x, y) }
ENTRY e {
  a = s32[3,4] parameter(0)
  b = s32[3,1] parameter(1)
  c = s32[3] parameter(2)
  ROOT r = s32[3,4] scatter(a, b, c), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=f
})";
  EXPECT_THAT(
      Values(RunText(text, {Grid(kS32, 3, 4), Numbers(kS32, {3, 1}, {3, 0, 4}),
                        Vector(kS32, {100, 200, 300})})),
      ElementsAre(0, 1, 2, 103, 210, 11, 12, 13, 20, 21, 22, 23));
}

TEST(Scatter, TakesSeveralOperands) {
  const char* text = R"(
f {
  x = f32[] parameter(0)  i = s32[] parameter(1)
  y = f32[] parameter(2)  j = s32[] parameter(3)
  more = pred[] compare(y, x), direction=GT
  v = f32[] select(more, y, x)
  k = s32[] select(more, j, i)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  a = f32[3] parameter(0)
  b = s32[3] parameter(1)
  c = s32[4,1] parameter(2)
  d = f32[4] parameter(3)
  n = s32[4] iota(), iota_dimension=0
  ROOT r = (f32[3], s32[3]) scatter(a, b, c, d, n), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f
})";
  const Literal result =
      RunText(text, {Vector(kF32, {0, 0, 0}), Vector(kS32, {-1, -1, -1}),
                 Numbers(kS32, {4, 1}, {0, 2, 0, 2}),
                 Vector(kF32, {3, 1, 2, 5})});
  ASSERT_EQ(result.elements().size(), 2u);
  EXPECT_THAT(Values(result.elements()[0]), ElementsAre(3, 0, 5));
  EXPECT_THAT(Values(result.elements()[1]), ElementsAre(0, -1, 3));
}

TEST(Scatter, LeavesItsArgumentsAlone) {
  const Literal a = Numbers(kF32, {3, 2}, {1, 2, 1, 2, 1, 2});
  RunText(ScatterRows(kF32, "add(x, y)", "3,2", "2,2"),
      {a, Numbers(kS32, {2, 1}, {2, 2}), Numbers(kF32, {2, 2}, {1, 0, 1, 2})});
  EXPECT_THAT(Values(a), ElementsAre(1, 2, 1, 2, 1, 2));
}

}  // namespace
}  // namespace hlokit::interpreter
