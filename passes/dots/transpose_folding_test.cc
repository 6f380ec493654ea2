#include "passes/dots/transpose_folding.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(TransposeFoldingTest, FoldsBothOperandsOfADot) {
  auto module = TransformedBy<TransposeFolding>(R"(
ENTRY e {
  x = f32[3,2] parameter(0)
  y = f32[4,3] parameter(1)
  a = f32[2,3] transpose(x), dimensions={1,0}
  b = f32[3,4] transpose(y), dimensions={1,0}
  ROOT d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter dot");
}

TEST(TransposeFoldingTest, FoldsIntoTheLabelsOfAConvolution) {
  auto module = TransformedBy<TransposeFolding>(R"(
ENTRY e {
  x = f32[2,3,8,9] parameter(0)
  k = f32[3,3,3,5] parameter(1)
  t = f32[2,8,9,3] transpose(x), dimensions={0,2,3,1}
  ROOT c = f32[2,6,7,5] convolution(t, k), window={size=3x3}, dim_labels=b01f_01io->b01f
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter convolution");
}

TEST(TransposeFoldingTest, LeavesTransposesThatWouldReorderTheResult) {
  ExpectUnchangedBy<TransposeFolding>(R"(
ENTRY e {
  x = f32[3,9,2] parameter(0)
  y = f32[3,4] parameter(1)
  a = f32[2,9,3] transpose(x), dimensions={2,1,0}
  ROOT d = f32[2,9,4] dot(a, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
