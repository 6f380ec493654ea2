#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

WindowDimension Taps(int64_t size, int64_t stride, int64_t low, int64_t high,
                     int64_t window_dilation = 1, int64_t base_dilation = 1) {
  return {.size = size,
          .stride = stride,
          .padding_low = low,
          .padding_high = high,
          .window_dilation = window_dilation,
          .base_dilation = base_dilation};
}

class InferReduction : public ::testing::Test {
 protected:
  Callees callees_;
};

TEST_F(InferReduction, ReduceDropsDimensions) {
  Query query = {.opcode = Opcode::kReduce,
                 .operands = {"f32[2,<=3,4]", "f32[]"},
                 .attrs = Attrs({{AttrId::kDimensions, Int64List{2, 0}}}),
                 .called = {callees_.Reducer("f32[]")}};
  EXPECT_EQ(Infer(query), "f32[<=3]{0}");
  query.attrs = {};
  EXPECT_EQ(Infer(query), "f32[2,<=3,4]{2,1,0}");
  query.attrs = Attrs({{AttrId::kDimensions, Int64List{3}}});
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
  query.attrs = Attrs({{AttrId::kDimensions, Int64List{1, 1}}});
  EXPECT_THAT(Infer(query), HasSubstr("repeated"));
}

TEST_F(InferReduction, ReduceTakesElementTypesFromItsComputation) {
  Query query = {.opcode = Opcode::kReduce,
                 .operands = {"bf16[2,3]", "s32[2,3]", "f32[]", "s32[]"},
                 .attrs = Attrs({{AttrId::kDimensions, Int64List{1}}}),
                 .called = {callees_.Make({"f32[]", "s32[]", "f32[]", "s32[]"},
                                          "(f32[], s32[])")}};
  EXPECT_EQ(Infer(query), "(f32[2]{0}, s32[2]{0})");
  query.operands[1] = "s32[2,4]";
  EXPECT_THAT(Infer(query), HasSubstr("equal dimensions"));
  query.operands = {"bf16[2,3]", "s32[2,3]", "f32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("3 operands"));
}

TEST_F(InferReduction, ReduceRefusesAComputationOfAnotherForm) {
  Query query = {.opcode = Opcode::kReduce,
                 .operands = {"f32[2]", "f32[]"},
                 .attrs = Attrs({{AttrId::kDimensions, Int64List{0}}})};
  auto with = [&](std::vector<std::string> parameters, const char* result) {
    query.called = {callees_.Make(std::move(parameters), result)};
    return Infer(query);
  };
  EXPECT_THAT(with({"f32[]"}, "f32[]"), HasSubstr("must take 2 parameters"));
  EXPECT_THAT(with({"f32[2]", "f32[]"}, "f32[]"), HasSubstr("parameter 0"));
  EXPECT_THAT(with({"f32[]", "s32[]"}, "f32[]"), HasSubstr("parameter 1"));
  EXPECT_THAT(with({"f32[]", "f32[]"}, "f32[1]"), HasSubstr("scalars"));
  EXPECT_THAT(with({"f32[]", "f32[]"}, "(f32[], f32[])"),
              HasSubstr("must give 1 value"));
  EXPECT_THAT(with({"s32[]", "f32[]"}, "s32[]"), HasSubstr("initial value"));
  query.called = {nullptr};
  EXPECT_THAT(Infer(query), HasSubstr("missing"));
}

TEST_F(InferReduction, ReduceWindowCountsPositions) {
  Query query = {.opcode = Opcode::kReduceWindow,
                 .operands = {"f32[10,<=9]", "f32[]"},
                 .called = {callees_.Reducer("f32[]")}};
  // 10 spread to 19, padded to 22, window of 5: (22 - 5) / 3 + 1.
  query.attrs.SetShared(AttrId::kWindow, Window{{Taps(3, 3, 1, 2, 2, 2),
                                                 Taps(2, 2, 0, 0)}});
  EXPECT_EQ(Infer(query), "f32[6,<=4]{1,0}");
  query.attrs.SetShared(AttrId::kWindow,
                        Window{{Taps(11, 1, 0, 0), Taps(1, 1, -4, -6)}});
  EXPECT_EQ(Infer(query), "f32[0,<=0]{1,0}");
  query.attrs.SetShared(AttrId::kWindow, Window{{Taps(1, 1, 0, 0)}});
  EXPECT_THAT(Infer(query), HasSubstr("found 1"));
  query.attrs.SetShared(AttrId::kWindow,
                        Window{{Taps(1, 0, 0, 0), Taps(1, 1, 0, 0)}});
  EXPECT_THAT(Infer(query), HasSubstr("stride=0"));
  query.attrs.SetShared(
      AttrId::kWindow,
      Window{{Taps(1, 1, 0, 0, 1, int64_t{1} << 62), Taps(1, 1, 0, 0)}});
  EXPECT_THAT(Infer(query), HasSubstr("too large"));
}

TEST_F(InferReduction, SelectAndScatterGivesItsOperandsType) {
  Query query = {.opcode = Opcode::kSelectAndScatter,
                 .operands = {"f32[8]{0}", "f32[4]", "f32[]"},
                 .called = {callees_.Make({"f32[]", "f32[]"}, "pred[]"),
                            callees_.Reducer("f32[]")}};
  query.attrs.SetShared(AttrId::kWindow, Window{{Taps(2, 2, 0, 0)}});
  EXPECT_EQ(Infer(query), "f32[8]{0}");
  query.operands[1] = "f32[5]";
  EXPECT_THAT(Infer(query), HasSubstr("the windows (f32[4])"));
  query.operands[1] = "f32[4]";
  query.called[0] = callees_.Reducer("f32[]");
  EXPECT_THAT(Infer(query), HasSubstr("must give pred[]"));
  query.called.clear();
  EXPECT_THAT(Infer(query), HasSubstr("missing"));
}

TEST_F(InferReduction, SortGivesOneTypeOrATuple) {
  Query query = {.opcode = Opcode::kSort,
                 .operands = {"f32[2,3]{0,1}"},
                 .attrs = Attrs({{AttrId::kDimensions, Int64List{1}}})};
  EXPECT_EQ(Infer(query), "f32[2,3]{0,1}");
  query.operands = {"f32[2,3]", "s32[2,3]"};
  EXPECT_EQ(Infer(query), "(f32[2,3], s32[2,3])");
  query.operands = {"f32[2,3]", "s32[2,4]"};
  EXPECT_THAT(Infer(query), HasSubstr("equal dimensions"));
  query.attrs = Attrs({{AttrId::kDimensions, Int64List{2}}});
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
}

TEST_F(InferReduction, TopKGivesValuesAndIndices) {
  Query query = {.opcode = Opcode::kTopK,
                 .operands = {"bf16[4,10]"},
                 .attrs = Attrs({{AttrId::kK, int64_t{3}}})};
  EXPECT_EQ(Infer(query), "(bf16[4,3]{1,0}, s32[4,3]{1,0})");
  query.attrs = Attrs({{AttrId::kK, int64_t{11}}});
  EXPECT_THAT(Infer(query), HasSubstr("k is 11"));
  query.attrs = Attrs({{AttrId::kK, int64_t{-1}}});
  EXPECT_THAT(Infer(query), HasSubstr("k is -1"));
  query.operands = {"f32[]"};
  EXPECT_THAT(Infer(query), HasSubstr("must have dimensions"));
}

TEST_F(InferReduction, ScanStacksOutputsAndKeepsCarries) {
  Query query = {
      .opcode = Opcode::kScan,
      .operands = {"f32[2,5]", "f32[2]"},
      .attrs = Attrs({{AttrId::kDimensions, Int64List{1}},
                      {AttrId::kNumCarries, int64_t{1}}}),
      .called = {callees_.Make({"f32[2]", "f32[2]"}, "(s8[2], f32[2])")}};
  EXPECT_EQ(Infer(query), "(s8[2,5]{1,0}, f32[2])");
  // The verifier holds the body against the operands.
  query.called = {callees_.Make({"f32[3]", "f32[2]"}, "(s8[2], f32[3])")};
  EXPECT_EQ(Infer(query), "(s8[2,5]{1,0}, f32[3])");
  query.attrs.Set(AttrId::kNumCarries, int64_t{-1});
  EXPECT_THAT(Infer(query), HasSubstr("num_carries"));
  query.attrs.Set(AttrId::kNumCarries, int64_t{2});
  EXPECT_THAT(Infer(query), HasSubstr("num_carries"));
}

}  // namespace
}  // namespace hlokit
