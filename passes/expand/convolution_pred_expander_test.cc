#include "passes/expand/convolution_pred_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvolutionPredExpanderTest, GoesThroughFloats) {
  auto module = TransformedBy<ConvolutionPredExpander>(R"(
ENTRY e {
  p = pred[2,8,3] parameter(0)
  k = pred[2,3,4] parameter(1)
  ROOT r = pred[2,7,4] convolution(p, k), window={size=2},
    dim_labels=b0f_0io->b0f
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert parameter convert convolution convert");
}

TEST(ConvolutionPredExpanderTest, LeavesNumbersAlone) {
  ExpectUnchangedBy<ConvolutionPredExpander>(R"(
ENTRY e {
  p = s8[2,8,3] parameter(0)
  k = s8[2,3,4] parameter(1)
  ROOT r = s8[2,7,4] convolution(p, k), window={size=2},
    dim_labels=b0f_0io->b0f
})");
}

}  // namespace
}  // namespace hlokit
