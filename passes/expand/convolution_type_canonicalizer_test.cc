#include "passes/expand/convolution_type_canonicalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvolutionTypeCanonicalizerTest, ConvertsOperandsToTheResultsType) {
  auto module = TransformedBy<ConvolutionTypeCanonicalizer>(R"(
ENTRY e {
  p = s8[2,8,3] parameter(0)
  k = s8[2,3,4] parameter(1)
  ROOT r = s32[2,7,4] convolution(p, k), window={size=2},
    dim_labels=b0f_0io->b0f
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert parameter convert convolution");
}

TEST(ConvolutionTypeCanonicalizerTest, LeavesEqualTypesAlone) {
  ExpectUnchangedBy<ConvolutionTypeCanonicalizer>(R"(
ENTRY e {
  p = f32[2,8,3] parameter(0)
  k = f32[2,3,4] parameter(1)
  ROOT r = f32[2,7,4] convolution(p, k), window={size=2},
    dim_labels=b0f_0io->b0f
})");
}

}  // namespace
}  // namespace hlokit
