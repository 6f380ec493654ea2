#include "passes/expand/convolution_group_converter.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Convolution(absl::string_view type, absl::string_view input,
                        absl::string_view kernel, absl::string_view output,
                        absl::string_view attributes) {
  return absl::StrCat("ENTRY e {\n p = ", type, input,
                      " parameter(0)\n k = ", type, kernel,
                      " parameter(1)\n ROOT r = ", type, output,
                      " convolution(p, k), ", attributes, "\n}");
}

int64_t Groups(const Module& module) {
  int64_t groups = 0;
  for (const Instruction* i : module.entry()->instructions()) {
    groups += i->attrs().Has(AttrId::kFeatureGroupCount) +
              i->attrs().Has(AttrId::kBatchGroupCount);
  }
  return groups;
}

TEST(ConvolutionGroupConverterTest, FeatureGroupsBecomeAWholeKernel) {
  auto module = TransformedBy<ConvolutionGroupConverter>(
      Convolution("s32", "[2,5,5,6]", "[3,3,2,9]", "[2,3,3,9]",
                  "window={size=3x3}, dim_labels=b01f_01io->b01f, "
                  "feature_group_count=3"),
      1e-4);
  EXPECT_EQ(Groups(*module), 0);
}

TEST(ConvolutionGroupConverterTest, BatchGroupsBecomeFeatures) {
  auto module = TransformedBy<ConvolutionGroupConverter>(
      Convolution("s16", "[6,5,4]", "[3,4,9]", "[2,3,9]",
                  "window={size=3}, dim_labels=b0f_0io->b0f, "
                  "batch_group_count=3"));
  EXPECT_EQ(Groups(*module), 0);
}

TEST(ConvolutionGroupConverterTest, KeepsValuesInAnyOrderOfDimensions) {
  for (const char* type : {"f32", "s32", "s8"}) {
    SCOPED_TRACE(type);
    const std::string of_features =
        Convolution(type, "[4,5,6]", "[2,6,3]", "[6,4,6]",
                    "window={size=3 pad=1_0}, dim_labels=f0b_io0->f0b, "
                    "feature_group_count=2");
    if (type[0] == 'f') {
      // What is infinite in one group must not become NaN in another.
      ExpectUnchangedBy<ConvolutionGroupConverter>(of_features);
    } else {
      TransformedBy<ConvolutionGroupConverter>(of_features, 1e-4);
    }
    TransformedBy<ConvolutionGroupConverter>(
        Convolution(type, "[4,5,6]", "[3,4,6]", "[3,6,2]",
                    "window={size=3}, dim_labels=f0b_0io->0fb, "
                    "batch_group_count=3"),
        1e-4);
  }
}

TEST(ConvolutionGroupConverterTest, KindsAreChosenApart) {
  ConvolutionGroupConverter batch(ConvolutionGroupConverter::kBatchGroups);
  auto module = Transformed(
      &batch, Convolution("s32", "[4,5,2]", "[1,2,6]", "[2,5,6]",
                          "window={size=1}, dim_labels=b0f_0io->b0f, "
                          "batch_group_count=2"),
      1e-5);
  EXPECT_EQ(Groups(*module), 1);
  ConvolutionGroupConverter feature(ConvolutionGroupConverter::kFeatureGroups);
  RunPass(&feature, module.get(), true);
  EXPECT_EQ(Groups(*module), 0);
}

TEST(ConvolutionGroupConverterTest, LeavesWholeConvolutionsAlone) {
  ExpectUnchangedBy<ConvolutionGroupConverter>(
      Convolution("f32", "[4,5,2]", "[1,2,6]", "[4,5,6]",
                  "window={size=1}, dim_labels=b0f_0io->b0f"));
}

}  // namespace
}  // namespace hlokit
