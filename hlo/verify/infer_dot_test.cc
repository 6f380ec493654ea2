#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

AttributeSet DotAttrs(Int64List lhs_batch, Int64List lhs_contracting,
                      Int64List rhs_batch, Int64List rhs_contracting) {
  return Attrs({{AttrId::kLhsBatchDims, lhs_batch},
                {AttrId::kLhsContractingDims, lhs_contracting},
                {AttrId::kRhsBatchDims, rhs_batch},
                {AttrId::kRhsContractingDims, rhs_contracting}});
}

TEST(InferDot, GivesBatchThenLhsThenRhs) {
  Query query = {.opcode = Opcode::kDot,
                 .operands = {"f32[3,5,2,7]", "f32[7,2,<=9]"},
                 .attrs = DotAttrs({2}, {3}, {1}, {0})};
  EXPECT_EQ(Infer(query), "f32[2,3,5,<=9]{3,2,1,0}");
  query.attrs = DotAttrs({}, {}, {}, {});
  query.operands = {"f32[2]", "f32[3]"};
  EXPECT_EQ(Infer(query), "f32[2,3]{1,0}");
}

TEST(InferDot, ElementTypeIsDeclaredOrTheHigherPrecision) {
  Query query = {.opcode = Opcode::kDot,
                 .operands = {"bf16[4]", "f32[4]"},
                 .attrs = DotAttrs({}, {0}, {}, {0})};
  EXPECT_EQ(Infer(query), "f32[]");
  query.operands = {"s8[4]", "s8[4]"};
  EXPECT_EQ(Infer(query), "s8[]");
  query.declared = "s32[]";
  EXPECT_EQ(Infer(query), "s32[]");
  query.operands = {"s32[4]", "s32[4]"};
  query.declared = "s8[]";
  EXPECT_THAT(Infer(query), HasSubstr("cannot be declared s8"));
  query.operands = {"f32[4]", "f32[4]"};
  query.declared = "bf16[]";
  EXPECT_EQ(Infer(query), "bf16[]");
}

TEST(InferDot, RefusesDimensionsThatDoNotPair) {
  Query query = {.opcode = Opcode::kDot,
                 .operands = {"f32[2,3]", "f32[3,2]"}};
  auto with = [&](AttributeSet attrs) {
    query.attrs = std::move(attrs);
    return Infer(query);
  };
  EXPECT_THAT(with(DotAttrs({}, {1}, {}, {1})),
              HasSubstr("contracting dimensions 1 of f32[2,3] and 1 of"));
  EXPECT_THAT(with(DotAttrs({0}, {}, {0}, {})), HasSubstr("batch"));
  EXPECT_THAT(with(DotAttrs({}, {1}, {}, {})), HasSubstr("found 1 and 0"));
  EXPECT_THAT(with(DotAttrs({}, {2}, {}, {0})), HasSubstr("outside"));
  EXPECT_THAT(with(DotAttrs({1}, {1}, {0}, {0})), HasSubstr("repeated"));
  EXPECT_THAT(with(DotAttrs({}, {-9}, {}, {0})), HasSubstr("outside"));
}

TEST(InferRaggedDot, HasThreeModes) {
  Query query = {.opcode = Opcode::kRaggedDot,
                 .operands = {"f32[11,5]", "f32[3,5,7]", "s32[3]"},
                 .attrs = DotAttrs({}, {1}, {}, {1})};
  query.attrs.Set(AttrId::kLhsRaggedDims, Int64List{0});
  query.attrs.Set(AttrId::kRhsGroupDims, Int64List{0});
  EXPECT_EQ(Infer(query), "f32[11,7]{1,0}");
  query.operands[2] = "s32[4]";
  EXPECT_THAT(Infer(query), HasSubstr("3 groups, the group sizes are 4"));

  query.operands = {"f32[11,5]", "f32[5,7]", "s32[3]"};
  query.attrs = DotAttrs({}, {1}, {}, {0});
  query.attrs.Set(AttrId::kLhsRaggedDims, Int64List{1});
  EXPECT_EQ(Infer(query), "f32[3,11,7]{2,1,0}");

  query.operands = {"f32[2,11,5]", "f32[2,5,7]", "s32[3]"};
  query.attrs = DotAttrs({0}, {2}, {0}, {1});
  query.attrs.Set(AttrId::kLhsRaggedDims, Int64List{0});
  EXPECT_EQ(Infer(query), "f32[2,11,7]{2,1,0}");
  query.attrs.Set(AttrId::kLhsRaggedDims, Int64List{});
  EXPECT_THAT(Infer(query), HasSubstr("lhs_ragged_dims: expected one"));
  query.attrs.Set(AttrId::kLhsRaggedDims, Int64List{3});
  EXPECT_THAT(Infer(query), HasSubstr("outside"));
}

TEST(InferScaledDot, MultipliesItsFirstTwoOperands) {
  Query query = {.opcode = Opcode::kScaledDot,
                 .operands = {"f8e4m3fn[4,64]", "f8e4m3fn[64,8]",
                              "f8e8m0fnu[4,2]", "f8e8m0fnu[2,8]"},
                 .attrs = DotAttrs({}, {1}, {}, {0}),
                 .declared = "bf16[4,8]"};
  EXPECT_EQ(Infer(query), "bf16[4,8]{1,0}");
  query.operands[2] = "f8e8m0fnu[4,3]";
  EXPECT_THAT(Infer(query), HasSubstr("divide"));
  query.operands[2] = "f8e8m0fnu[4]";
  EXPECT_THAT(Infer(query), HasSubstr("divide"));
  query.operands[2] = "f8e8m0fnu[]";
  EXPECT_EQ(Infer(query), "bf16[4,8]{1,0}");
  query.operands[3] = "f8e8m0fnu[]";
  EXPECT_THAT(Infer(query), HasSubstr("one of the scales"));
  query.attrs = DotAttrs({}, {}, {}, {});
  EXPECT_THAT(Infer(query), HasSubstr("one contracting"));
}

class InferConvolution : public ::testing::Test {
 protected:
  InferConvolution() {
    // NHWC, HWIO.
    dims_.input_batch_dimension = 0;
    dims_.input_feature_dimension = 3;
    dims_.input_spatial_dimensions = {1, 2};
    dims_.kernel_spatial_dimensions = {0, 1};
    dims_.kernel_input_feature_dimension = 2;
    dims_.kernel_output_feature_dimension = 3;
    dims_.output_batch_dimension = 0;
    dims_.output_feature_dimension = 3;
    dims_.output_spatial_dimensions = {1, 2};
    window_.dimensions = {{.size = 3, .padding_low = 1, .padding_high = 1},
                          {.size = 2, .stride = 2}};
    query_ = {.opcode = Opcode::kConvolution,
              .operands = {"f32[6,10,9,4]", "f32[3,2,4,16]"}};
  }
  std::string Run() {
    query_.attrs.SetShared(AttrId::kDimLabels, dims_);
    query_.attrs.SetShared(AttrId::kWindow, window_);
    return Infer(query_);
  }
  ConvolutionDims dims_;
  Window window_;
  Query query_;
};

TEST_F(InferConvolution, CountsSpatialPositions) {
  EXPECT_EQ(Run(), "f32[6,10,4,16]{3,2,1,0}");
  dims_.output_batch_dimension = 3;
  dims_.output_feature_dimension = 0;
  EXPECT_EQ(Run(), "f32[16,10,4,6]{3,2,1,0}");
}

TEST_F(InferConvolution, KnowsGroups) {
  query_.operands[1] = "f32[3,2,2,16]";
  EXPECT_THAT(Run(), HasSubstr("takes 2 in each of 1 groups"));
  query_.attrs.Set(AttrId::kFeatureGroupCount, int64_t{2});
  EXPECT_EQ(Run(), "f32[6,10,4,16]{3,2,1,0}");
  query_.attrs.Set(AttrId::kBatchGroupCount, int64_t{2});
  EXPECT_THAT(Run(), HasSubstr("not both above 1"));
  query_.attrs.Set(AttrId::kFeatureGroupCount, int64_t{1});
  query_.operands[1] = "f32[3,2,4,16]";
  EXPECT_EQ(Run(), "f32[3,10,4,16]{3,2,1,0}");
  query_.attrs.Set(AttrId::kBatchGroupCount, int64_t{4});
  EXPECT_THAT(Run(), HasSubstr("multiples of batch_group_count 4"));
  query_.attrs.Set(AttrId::kBatchGroupCount, int64_t{0});
  EXPECT_THAT(Run(), HasSubstr("must be positive"));
}

TEST_F(InferConvolution, RefusesWildLabelsAndWindows) {
  dims_.kernel_output_feature_dimension = 9;
  EXPECT_THAT(Run(), HasSubstr("outside"));
  dims_.kernel_output_feature_dimension = 2;
  EXPECT_THAT(Run(), HasSubstr("repeated"));
  dims_.kernel_output_feature_dimension = 3;
  dims_.input_spatial_dimensions = {1};
  EXPECT_THAT(Run(), HasSubstr("3 dimensions of the input"));
  dims_.input_spatial_dimensions = {1, 2};
  window_.dimensions[0].size = 4;
  EXPECT_THAT(Run(), HasSubstr("the window has size 4"));
  window_.dimensions.pop_back();
  EXPECT_THAT(Run(), HasSubstr("window must have 2 dimensions"));
  query_.attrs.Erase(AttrId::kDimLabels);
  EXPECT_THAT(Infer(query_), HasSubstr("dim_labels are missing"));
}

TEST_F(InferConvolution, OfMixedTypesHasTheHigherOne) {
  query_.operands[1] = "s8[3,2,4,16]";
  EXPECT_EQ(Run(), "f32[6,10,4,16]{3,2,1,0}");
  query_.operands[0] = "s32[6,10,9,4]";
  query_.declared = "s8[6,10,4,16]";
  EXPECT_THAT(Run(), HasSubstr("a product of s32 values cannot be declared"));
}

}  // namespace
}  // namespace hlokit
