#include "passes/expand/convolution_4d_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(Convolution4DExpanderTest, DropsDimensionsThatDoNothing) {
  auto module = TransformedBy<Convolution4DExpander>(R"(
ENTRY e {
  p = f32[2,1,6,5,3] parameter(0)
  k = f32[1,3,2,3,4] parameter(1)
  ROOT r = f32[2,1,4,4,4] convolution(p, k), window={size=1x3x2},
    dim_labels=b012f_012io->b012f
})", 1e-4);
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::kConvolution) continue;
    EXPECT_EQ(i->shape().rank(), 4);
    EXPECT_EQ(i->window()->dimensions.size(), 2u);
  }
}

TEST(Convolution4DExpanderTest, KeepsValuesInAnyOrderOfDimensions) {
  TransformedBy<Convolution4DExpander>(R"(
ENTRY e {
  p = f64[3,1,6,2,1] parameter(0)
  k = f64[3,4,1,3,1] parameter(1)
  ROOT r = f64[4,1,2,1,3] convolution(p, k),
    window={size=1x3x1 stride=1x2x1 pad=0_0x1_0x0_0},
    dim_labels=f01b2_io012->f0b21
})");
}

TEST(Convolution4DExpanderTest, LeavesDimensionsThatCountAndSmallOnesAlone) {
  ExpectUnchangedBy<Convolution4DExpander>(R"(
ENTRY e {
  p = f32[2,1,6,5,3] parameter(0)
  k = f32[2,3,2,3,4] parameter(1)
  ROOT r = f32[2,1,4,4,4] convolution(p, k),
    window={size=2x3x2 pad=1_0x0_0x0_0}, dim_labels=b012f_012io->b012f
})");
  ExpectUnchangedBy<Convolution4DExpander>(R"(
ENTRY e {
  p = f32[2,1,5,3] parameter(0)
  k = f32[1,2,3,4] parameter(1)
  ROOT r = f32[2,1,4,4] convolution(p, k), window={size=1x2},
    dim_labels=b01f_01io->b01f
})");
}

}  // namespace
}  // namespace hlokit
