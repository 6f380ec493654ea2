#include <limits>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

AttributeSet Dims(Int64List dims) {
  return Attrs({{AttrId::kDimensions, std::move(dims)}});
}

AttributeSet Slices(SliceRanges ranges) {
  AttributeSet set;
  set.SetShared(AttrId::kSlice, std::move(ranges));
  return set;
}

AttributeSet Padding(std::vector<PaddingDimension> dims) {
  AttributeSet set;
  set.SetShared(AttrId::kPadding, PaddingConfig{std::move(dims)});
  return set;
}

TEST(InferBroadcast, PlacesOperandDimensions) {
  Query query = {.opcode = Opcode::kBroadcast,
                 .operands = {"f32[2,3]"},
                 .attrs = Dims({0, 2}),
                 .declared = "f32[2,7,3]"};
  EXPECT_EQ(Infer(query), "f32[2,7,3]");
  query.declared = "f32[3,7,2]";
  EXPECT_THAT(Infer(query), HasSubstr("must have the size of"));
  query.declared = "s32[2,7,3]";
  EXPECT_THAT(Infer(query), HasSubstr("element type"));
  query.declared = "f32[2,7]";
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
  query.declared = "f32[2,7,3]";
  query.attrs = Dims({0});
  EXPECT_THAT(Infer(query), HasSubstr("one entry for each"));
  query.attrs = Dims({0, 0});
  EXPECT_THAT(Infer(query), HasSubstr("repeated"));
}

TEST(InferBroadcast, WithoutDeclarationTheListIsSizesInFront) {
  EXPECT_EQ(Infer({.opcode = Opcode::kBroadcast,
                   .operands = {"f32[2,3]"},
                   .attrs = Dims({1, 0})}),
            "f32[1,0,2,3]{3,2,1,0}");
  EXPECT_THAT(Infer({.opcode = Opcode::kBroadcast,
                     .operands = {"f32[2,3]"},
                     .attrs = Dims({-1})}),
              HasSubstr("negative"));
}

TEST(InferReshape, KeepsTheElementCount) {
  Query query = {.opcode = Opcode::kReshape,
                 .operands = {"f32[6,7]"},
                 .declared = "f32[42]{0}"};
  EXPECT_EQ(Infer(query), "f32[42]{0}");
  query.declared = "f32[41]";
  EXPECT_THAT(Infer(query), HasSubstr("42 elements, the result 41"));
  query.declared = "s32[42]";
  EXPECT_THAT(Infer(query), HasSubstr("element type"));
  query.declared = "";
  EXPECT_THAT(Infer(query), HasSubstr("must be declared"));
}

TEST(InferDynamicReshape, WantsASizeForEachDimension) {
  Query query = {.opcode = Opcode::kDynamicReshape,
                 .operands = {"f32[6]", "s32[]", "s32[]"},
                 .declared = "f32[<=2,3]"};
  EXPECT_EQ(Infer(query), "f32[<=2,3]");
  query.operands.pop_back();
  EXPECT_THAT(Infer(query), HasSubstr("expected 3 operands"));
  query.operands.push_back("s64[]");
  EXPECT_THAT(Infer(query), HasSubstr("s32[]"));
}

TEST(InferTranspose, PermutesDimensionsIntoTheDefaultLayout) {
  Query query = {.opcode = Opcode::kTranspose,
                 .operands = {"f32[2,<=3,4]{0,1,2}"},
                 .attrs = Dims({2, 0, 1})};
  EXPECT_EQ(Infer(query), "f32[4,2,<=3]{2,1,0}");
  query.attrs = Dims({2, 0});
  EXPECT_THAT(Infer(query), HasSubstr("permutation"));
  query.attrs = Dims({2, 0, 0});
  EXPECT_THAT(Infer(query), HasSubstr("repeated"));
  query.attrs = Dims({2, 0, 3});
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
}

TEST(InferReverse, GivesItsOperandsType) {
  Query query = {.opcode = Opcode::kReverse,
                 .operands = {"f32[2,3]{0,1}"},
                 .attrs = Dims({1})};
  EXPECT_EQ(Infer(query), "f32[2,3]{0,1}");
  query.attrs = Dims({1, 1});
  EXPECT_THAT(Infer(query), HasSubstr("repeated"));
  query.attrs = Dims({2});
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
}

TEST(InferConcatenate, AddsSizesAlongOneDimension) {
  Query query = {.opcode = Opcode::kConcatenate,
                 .operands = {"f32[2,3]", "bf16[2,4]", "f32[2,<=5]"},
                 .attrs = Dims({1})};
  EXPECT_EQ(Infer(query), "f32[2,<=12]{1,0}");
  query.attrs = Dims({0});
  EXPECT_THAT(Infer(query), HasSubstr("dimension 1 may not differ"));
  query.attrs = Dims({});
  EXPECT_THAT(Infer(query), HasSubstr("expected exactly one, found 0"));
  query.attrs = Dims({1});
  query.operands[1] = "s32[2,4]";
  EXPECT_THAT(Infer(query), HasSubstr("element types differ"));
  query.operands = {};
  EXPECT_THAT(Infer(query), HasSubstr("at least 1 operand"));
}

TEST(InferConcatenate, RefusesSumsThatOverflow) {
  EXPECT_THAT(Infer({.opcode = Opcode::kConcatenate,
                     .operands = {"u8[9223372036854775807]", "u8[1]"},
                     .attrs = Dims({0})}),
              HasSubstr("too large"));
}

TEST(InferSlice, RoundsUpByStride) {
  Query query = {.opcode = Opcode::kSlice, .operands = {"f32[10,4]"}};
  query.attrs = Slices({{1, 10, 4}, {0, 0, 1}});
  EXPECT_EQ(Infer(query), "f32[3,0]{1,0}");
  query.attrs = Slices({{1, 11, 1}, {0, 4, 1}});
  EXPECT_THAT(Infer(query), HasSubstr("does not fit dimension 0"));
  query.attrs = Slices({{3, 2, 1}, {0, 4, 1}});
  EXPECT_THAT(Infer(query), StartsWith("error:"));
  query.attrs = Slices({{-1, 2, 1}, {0, 4, 1}});
  EXPECT_THAT(Infer(query), StartsWith("error:"));
  query.attrs = Slices({{0, 2, 0}, {0, 4, 1}});
  EXPECT_THAT(Infer(query), HasSubstr("stride 0"));
  query.attrs = Slices({{0, 2, 1}});
  EXPECT_THAT(Infer(query), HasSubstr("one range for each"));
  query.attrs = {};
  EXPECT_THAT(Infer(query), HasSubstr("one range for each"));
}

TEST(InferPad, CountsInteriorBeforeEdges) {
  Query query = {.opcode = Opcode::kPad, .operands = {"f32[4,0]", "f32[]"}};
  query.attrs = Padding({{-1, 2, 3}, {1, 1, 5}});
  // 4 + 3 * 3 - 1 + 2; an empty dimension has no interior.
  EXPECT_EQ(Infer(query), "f32[14,2]{1,0}");
  query.attrs = Padding({{-5, 0, 0}, {0, 0, 0}});
  EXPECT_THAT(Infer(query), HasSubstr("negative: -1"));
  query.attrs = Padding({{0, 0, -1}, {0, 0, 0}});
  EXPECT_THAT(Infer(query), HasSubstr("interior padding -1"));
  query.attrs = Padding({{0, 0, 0}});
  EXPECT_THAT(Infer(query), HasSubstr("one entry for each"));
  query.attrs =
      Padding({{0, 0, std::numeric_limits<int64_t>::max()}, {0, 0, 0}});
  EXPECT_THAT(Infer(query), HasSubstr("too large"));
  query.attrs = Padding({{0, 0, 0}, {0, 0, 0}});
  query.operands[1] = "s32[]";
  EXPECT_THAT(Infer(query), HasSubstr("element types differ"));
  query.operands[1] = "f32[1]";
  EXPECT_THAT(Infer(query), HasSubstr("must be a scalar"));
}

TEST(InferIota, WantsADimensionOfANumericArray) {
  Query query = {.opcode = Opcode::kIota,
                 .attrs = Attrs({{AttrId::kIotaDimension, int64_t{1}}}),
                 .declared = "c64[2,3]"};
  EXPECT_EQ(Infer(query), "c64[2,3]");
  query.declared = "s32[2]";
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
  query.declared = "s32[]";
  EXPECT_THAT(Infer(query), HasSubstr("must have dimensions"));
  query.declared = "pred[2,2]";
  EXPECT_THAT(Infer(query), HasSubstr("pred"));
}

TEST(InferDimensionSizes, GetGivesS32AndSetMakesDynamic) {
  EXPECT_EQ(Infer({.opcode = Opcode::kGetDimensionSize,
                   .operands = {"f32[2,3]"},
                   .attrs = Dims({1})}),
            "s32[]");
  EXPECT_THAT(Infer({.opcode = Opcode::kGetDimensionSize,
                     .operands = {"f32[2,3]"},
                     .attrs = Dims({2})}),
              HasSubstr("outside"));
  Query set = {.opcode = Opcode::kSetDimensionSize,
               .operands = {"f32[2,3]{0,1}", "s32[]"},
               .attrs = Dims({1})};
  EXPECT_EQ(Infer(set), "f32[2,<=3]{0,1}");
  set.operands[1] = "s64[]";
  EXPECT_THAT(Infer(set), HasSubstr("s32[]"));
}

TEST(InferDynamicSlice, TakesSizesFromTheAttribute) {
  Query query = {.opcode = Opcode::kDynamicSlice,
                 .operands = {"f32[8,4]", "s32[]", "s32[]"},
                 .attrs = Attrs({{AttrId::kDynamicSliceSizes,
                                  Int64List{2, 4}}})};
  EXPECT_EQ(Infer(query), "f32[2,4]{1,0}");
  query.operands = {"f32[8,4]", "s32[2]"};
  EXPECT_EQ(Infer(query), "f32[2,4]{1,0}");
  query.operands = {"f32[8,4]", "s32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("expected 2 start indices, found 1"));
  query.operands = {"f32[8,4]", "s32[]", "s64[]"};
  EXPECT_THAT(Infer(query), HasSubstr("differ in type"));
  query.operands = {"f32[8,4]", "f32[]", "f32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("integer scalar"));
  query.operands = {"f32[8,3]", "s32[]", "s32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("slice size 4 does not fit"));
}

TEST(InferDynamicUpdateSlice, GivesTheTypeOfItsFirstOperand) {
  Query query = {.opcode = Opcode::kDynamicUpdateSlice,
                 .operands = {"f32[8]{0}", "f32[3]", "u8[]"}};
  EXPECT_EQ(Infer(query), "f32[8]{0}");
  query.operands[0] = "b(f32[8])";
  EXPECT_EQ(Infer(query), "b(f32[8])");
  query.operands = {"f32[8]", "f32[9]", "s32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("does not fit"));
  query.operands = {"f32[8]", "s32[3]", "s32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("element types differ"));
  query.operands = {"f32[8]", "f32[3]"};
  EXPECT_THAT(Infer(query), HasSubstr("start indices"));
}

AttributeSet GatherAttrs(Int64List offset, Int64List collapsed,
                         Int64List map, int64_t vector_dim, Int64List sizes) {
  return Attrs({{AttrId::kOffsetDims, offset},
                {AttrId::kCollapsedSliceDims, collapsed},
                {AttrId::kStartIndexMap, map},
                {AttrId::kIndexVectorDim, vector_dim},
                {AttrId::kSliceSizes, sizes}});
}

TEST(InferGather, MixesIndexAndWindowDimensions) {
  Query query = {.opcode = Opcode::kGather,
                 .operands = {"f32[50,40,30]", "s64[7,6,2]"},
                 .attrs = GatherAttrs({1, 3}, {0}, {0, 2}, 2, {1, 40, 9})};
  // Batch 7, 6 in positions 0, 2; windows 40, 9 in positions 1, 3.
  EXPECT_EQ(Infer(query), "f32[7,40,6,9]{3,2,1,0}");
  // index_vector_dim at the end of the rank: indices are scalars.
  query.operands[1] = "s64[7,6]";
  query.attrs = GatherAttrs({2, 3}, {0}, {0}, 2, {1, 40, 9});
  EXPECT_EQ(Infer(query), "f32[7,6,40,9]{3,2,1,0}");
}

TEST(InferGather, PairsBatchingDimensions) {
  Query query = {.opcode = Opcode::kGather,
                 .operands = {"f32[5,40]", "s32[5,6,1]"},
                 .attrs = GatherAttrs({2}, {}, {1}, 2, {1, 3})};
  query.attrs.Set(AttrId::kOperandBatchingDims, Int64List{0});
  query.attrs.Set(AttrId::kStartIndicesBatchingDims, Int64List{0});
  EXPECT_EQ(Infer(query), "f32[5,6,3]{2,1,0}");
  query.operands[1] = "s32[4,6,1]";
  EXPECT_THAT(Infer(query), HasSubstr("batching dimension 0"));
  query.operands[1] = "s32[5,6,1]";
  query.attrs.Set(AttrId::kStartIndicesBatchingDims, Int64List{2});
  EXPECT_THAT(Infer(query), HasSubstr("index_vector_dim"));
  query.attrs.Set(AttrId::kStartIndicesBatchingDims, Int64List{});
  EXPECT_THAT(Infer(query), HasSubstr("as many entries"));
}

TEST(InferGather, RefusesWildAttributes) {
  Query query = {.opcode = Opcode::kGather,
                 .operands = {"f32[50,40]", "s64[7,2]"}};
  auto with = [&](AttributeSet attrs) {
    query.attrs = std::move(attrs);
    return Infer(query);
  };
  EXPECT_EQ(with(GatherAttrs({1}, {0}, {0, 1}, 1, {1, 9})),
            "f32[7,9]{1,0}");
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, 3, {1, 9})),
              HasSubstr("index_vector_dim 3"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, -1, {1, 9})),
              HasSubstr("index_vector_dim -1"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0}, 1, {1, 9})),
              HasSubstr("start_index_map must have 2 entries"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 2}, 1, {1, 9})),
              HasSubstr("outside"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 0}, 1, {1, 9})),
              HasSubstr("repeated"));
  EXPECT_THAT(with(GatherAttrs({2}, {0}, {0, 1}, 1, {1, 9})),
              HasSubstr("offset_dims"));
  EXPECT_THAT(with(GatherAttrs({0, 1}, {0}, {0, 1}, 1, {1, 9})),
              HasSubstr("offset_dims must have 1 entries"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, 1, {2, 9})),
              HasSubstr("must be 1"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, 1, {1, 41})),
              HasSubstr("slice size 41"));
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, 1, {1})),
              HasSubstr("slice_sizes"));
  query.operands[1] = "f32[7,2]";
  EXPECT_THAT(with(GatherAttrs({1}, {0}, {0, 1}, 1, {1, 9})),
              HasSubstr("must be integers"));
}

class InferScatter : public ::testing::Test {
 protected:
  Query Plain() {
    return {.opcode = Opcode::kScatter,
            .operands = {"f32[50,40]{0,1}", "s32[7,1]", "f32[7,40]"},
            .attrs = Attrs({{AttrId::kUpdateWindowDims, Int64List{1}},
                            {AttrId::kInsertedWindowDims, Int64List{0}},
                            {AttrId::kScatterDimsToOperandDims, Int64List{0}},
                            {AttrId::kIndexVectorDim, int64_t{1}}}),
            .called = {callees_.Reducer("f32[]")}};
  }
  Callees callees_;
};

TEST_F(InferScatter, GivesTheTypeOfItsInput) {
  EXPECT_EQ(Infer(Plain()), "f32[50,40]{0,1}");
}

TEST_F(InferScatter, OfSeveralInputsGivesATuple) {
  Query query = Plain();
  query.operands = {"f32[50,40]", "s8[50,40]", "s32[7,1]", "f32[7,40]",
                    "s8[7,40]"};
  query.called = {callees_.Make({"f32[]", "s8[]", "f32[]", "s8[]"},
                                "(f32[], s8[])")};
  EXPECT_EQ(Infer(query), "(f32[50,40], s8[50,40])");
  query.operands.pop_back();
  EXPECT_THAT(Infer(query), HasSubstr("4 operands"));
}

TEST_F(InferScatter, RefusesUpdatesThatDoNotFit) {
  Query query = Plain();
  query.operands[2] = "f32[7,41]";
  EXPECT_THAT(Infer(query), HasSubstr("is larger than"));
  query.operands[2] = "f32[8,40]";
  EXPECT_THAT(Infer(query), HasSubstr("must have the size of dimension 0"));
  query.operands[2] = "f32[7]";
  EXPECT_THAT(Infer(query), HasSubstr("rank 2"));
  query.operands[2] = "s32[7,40]";
  EXPECT_THAT(Infer(query), HasSubstr("element types differ"));
}

TEST_F(InferScatter, RefusesWildAttributes) {
  Query query = Plain();
  query.attrs.Set(AttrId::kScatterDimsToOperandDims, Int64List{0, 1, 0});
  EXPECT_THAT(Infer(query), HasSubstr("scatter_dims_to_operand_dims"));
  query = Plain();
  query.attrs.Set(AttrId::kInsertedWindowDims, Int64List{7});
  EXPECT_THAT(Infer(query), HasSubstr("inserted_window_dims"));
  query = Plain();
  query.attrs.Set(AttrId::kUpdateWindowDims, Int64List{-4});
  EXPECT_THAT(Infer(query), HasSubstr("update_window_dims"));
  query = Plain();
  query.called = {};
  EXPECT_THAT(Infer(query), HasSubstr("called computation 0 is missing"));
  query.called = {callees_.Make({"f32[]"}, "f32[]")};
  EXPECT_THAT(Infer(query), HasSubstr("must take 2 parameters"));
}

}  // namespace
}  // namespace hlokit
