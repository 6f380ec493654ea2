#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo/verify/test_types.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;

std::string Fft(FftType type, const char* operand, Int64List length) {
  return Infer({.opcode = Opcode::kFft,
                .operands = {operand},
                .attrs = Attrs({{AttrId::kFftType, static_cast<int64_t>(type)},
                                {AttrId::kFftLength, length}})});
}

TEST(InferFft, ComplexTransformsKeepTheType) {
  EXPECT_EQ(Fft(FftType::kFft, "c64[3,8]{0,1}", {8}), "c64[3,8]{0,1}");
  EXPECT_EQ(Fft(FftType::kIfft, "c128[3,8]", {3, 8}), "c128[3,8]");
  EXPECT_THAT(Fft(FftType::kFft, "f32[8]", {8}), HasSubstr("complex"));
  EXPECT_THAT(Fft(FftType::kFft, "c64[8]", {7}), HasSubstr("wants 7"));
}

TEST(InferFft, RealTransformsHaveHalfTheLastDimension) {
  EXPECT_EQ(Fft(FftType::kRfft, "f32[3,9]", {9}), "c64[3,5]");
  EXPECT_EQ(Fft(FftType::kRfft, "f64[8]", {8}), "c128[5]");
  EXPECT_EQ(Fft(FftType::kIrfft, "c64[3,5]", {9}), "f32[3,9]");
  EXPECT_EQ(Fft(FftType::kIrfft, "c128[5]", {8}), "f64[8]");
  EXPECT_THAT(Fft(FftType::kRfft, "bf16[8]", {8}), HasSubstr("f32 or f64"));
  EXPECT_THAT(Fft(FftType::kIrfft, "c64[5]", {10}), HasSubstr("wants 6"));
}

TEST(InferFft, RefusesWildAttributes) {
  EXPECT_THAT(Fft(FftType::kFft, "c64[8]", {}), HasSubstr("fft_length"));
  EXPECT_THAT(Fft(FftType::kFft, "c64[8]", {1, 8}), HasSubstr("fft_length"));
  EXPECT_THAT(Fft(FftType::kRfft, "f32[8]", {-8}), HasSubstr("negative"));
  EXPECT_THAT(Fft(static_cast<FftType>(77), "c64[8]", {8}),
              HasSubstr("unknown value 77"));
}

TEST(InferCholesky, WantsSquareMatrices) {
  auto run = [](const char* operand) {
    return Infer({.opcode = Opcode::kCholesky, .operands = {operand}});
  };
  EXPECT_EQ(run("f32[5,3,3]"), "f32[5,3,3]");
  EXPECT_THAT(run("f32[5,3,4]"), HasSubstr("square"));
  EXPECT_THAT(run("f32[3]"), HasSubstr("square"));
  EXPECT_THAT(run("s32[3,3]"), HasSubstr("floating-point"));
}

TEST(InferTriangularSolve, GivesTheTypeOfTheRightHandSide) {
  Query query = {.opcode = Opcode::kTriangularSolve,
                 .operands = {"f32[3,3]", "f32[3,4]{0,1}"},
                 .attrs = Attrs({{AttrId::kLeftSide, true},
                                 {AttrId::kTransposeA, int64_t{1}}})};
  EXPECT_EQ(Infer(query), "f32[3,4]{0,1}");
  query.attrs.Erase(AttrId::kLeftSide);
  EXPECT_THAT(Infer(query), HasSubstr("right side"));
  query.operands[1] = "f32[4,3]";
  EXPECT_EQ(Infer(query), "f32[4,3]");
  query.operands[1] = "f32[1,4,3]";
  EXPECT_THAT(Infer(query), HasSubstr("ranks differ"));
  query.operands = {"f32[2,3,3]", "f32[1,4,3]"};
  EXPECT_THAT(Infer(query), HasSubstr("batch dimension 0"));
  query.operands = {"f32[3,3]", "c64[4,3]"};
  EXPECT_THAT(Infer(query), HasSubstr("element types differ"));
  query.operands = {"f32[3,3]", "f32[4,3]"};
  query.attrs.Set(AttrId::kTransposeA, int64_t{4});
  EXPECT_THAT(Infer(query), HasSubstr("transpose_a"));
  query.attrs = {};
  EXPECT_THAT(Infer(query), HasSubstr("transpose_a"));
}

TEST(InferBatchNorm, HasFeatureVectors) {
  AttributeSet attrs = Attrs({{AttrId::kFeatureIndex, int64_t{1}}});
  EXPECT_EQ(Infer({.opcode = Opcode::kBatchNormTraining,
                   .operands = {"f32[2,5]", "f32[5]", "f32[5]"},
                   .attrs = attrs}),
            "(f32[2,5], f32[5]{0}, f32[5]{0})");
  Query inference = {
      .opcode = Opcode::kBatchNormInference,
      .operands = {"f32[2,5]", "f32[5]", "f32[5]", "f32[5]", "f32[5]"},
      .attrs = attrs};
  EXPECT_EQ(Infer(inference), "f32[2,5]");
  inference.operands[4] = "f32[6]";
  EXPECT_THAT(Infer(inference), HasSubstr("operand 4"));
  Query grad = {
      .opcode = Opcode::kBatchNormGrad,
      .operands = {"f32[2,5]", "f32[5]", "f32[5]", "f32[5]", "f32[2,5]"},
      .attrs = attrs};
  EXPECT_EQ(Infer(grad), "(f32[2,5], f32[5]{0}, f32[5]{0})");
  grad.operands[4] = "f32[2,6]";
  EXPECT_THAT(Infer(grad), HasSubstr("operand 4"));
  grad.attrs = Attrs({{AttrId::kFeatureIndex, int64_t{2}}});
  EXPECT_THAT(Infer(grad), HasSubstr("feature_index"));
}

TEST(InferRng, DependsOnTheDistribution) {
  Query query = {.opcode = Opcode::kRng,
                 .operands = {"f32[]", "f32[]"},
                 .declared = "f32[7]"};
  auto with = [&](RandomDistribution distribution) {
    query.attrs = Attrs(
        {{AttrId::kDistribution, static_cast<int64_t>(distribution)}});
    return Infer(query);
  };
  EXPECT_EQ(with(RandomDistribution::kUniform), "f32[7]");
  EXPECT_EQ(with(RandomDistribution::kNormal), "f32[7]");
  EXPECT_THAT(with(RandomDistribution::kInvalid), HasSubstr("distribution"));
  // The dimensions, as old texts have them.
  query.operands.push_back("u64[1]");
  EXPECT_EQ(with(RandomDistribution::kUniform), "f32[7]");
  query.operands[2] = "f32[]";
  EXPECT_THAT(with(RandomDistribution::kUniform), HasSubstr("2 operands"));
  query.operands.pop_back();
  query.operands[0] = "f32[1]";
  EXPECT_THAT(with(RandomDistribution::kUniform), HasSubstr("scalars"));
  query = {.opcode = Opcode::kRng,
           .operands = {"s32[]", "s32[]"},
           .declared = "s32[7]"};
  EXPECT_EQ(with(RandomDistribution::kUniform), "s32[7]");
  EXPECT_THAT(with(RandomDistribution::kNormal), HasSubstr("s32"));
}

TEST(InferRng, BitGeneratorKeepsItsState) {
  Query query = {.opcode = Opcode::kRngBitGenerator,
                 .operands = {"u64[2]"},
                 .declared = "(u64[2], u32[9])"};
  EXPECT_EQ(Infer(query), "(u64[2], u32[9])");
  query.declared = "(u64[3], u32[9])";
  EXPECT_THAT(Infer(query), HasSubstr("expected the state u64[2]"));
  EXPECT_EQ(Infer({.opcode = Opcode::kRngGetAndUpdateState}), "u64[2]{0}");
}

}  // namespace
}  // namespace hlokit
