#include "passes/dots/convolution_canonicalization.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvolutionCanonicalizationTest, PutsFeaturesLast) {
  auto module = TransformedBy<ConvolutionCanonicalization>(R"(
ENTRY e {
  x = f32[2,3,8,9] parameter(0)
  k = f32[5,3,3,2] parameter(1)
  ROOT c = f32[2,5,6,8] convolution(x, k), window={size=3x2}, dim_labels=bf01_oi01->bf01
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter transpose parameter transpose convolution transpose");
}

TEST(ConvolutionCanonicalizationTest, LeavesTheCanonicalOrderAndIntegers) {
  ExpectUnchangedBy<ConvolutionCanonicalization>(R"(
ENTRY e {
  x = f32[2,8,9,3] parameter(0)
  k = f32[3,2,3,5] parameter(1)
  y = s32[2,3,8,9] parameter(2)
  l = s32[5,3,3,2] parameter(3)
  c = f32[2,6,8,5] convolution(x, k), window={size=3x2}, dim_labels=b01f_01io->b01f
  d = s32[2,5,6,8] convolution(y, l), window={size=3x2}, dim_labels=bf01_oi01->bf01
  ROOT t = (f32[2,6,8,5], s32[2,5,6,8]) tuple(c, d)
})");
}

}  // namespace
}  // namespace hlokit
