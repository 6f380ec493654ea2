#include "passes/simplify/reduction_dimension_grouper.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReductionDimensionGrouperTest, NeighboursBecomeOne) {
  auto module = TransformedBy<ReductionDimensionGrouper>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2,3,4,5,6,2] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[2,5] reduce(x, z), dimensions={1,2,4,5}, to_apply=add
})", 1e-5);
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->operand(0)->shape().ToString(false), "f32[2,12,5,12]");
  EXPECT_EQ(root->dimensions().size(), 2u);
  EXPECT_EQ(root->dimension(1), 3);
}

TEST(ReductionDimensionGrouperTest, SeveralArrays) {
  auto module = TransformedBy<ReductionDimensionGrouper>(R"(
HloModule m
f {
  a = f32[] parameter(0) b = s32[] parameter(1)
  c = f32[] parameter(2) d = s32[] parameter(3)
  s = f32[] add(a, c)
  t = s32[] maximum(b, d)
  ROOT r = (f32[], s32[]) tuple(s, t)
}
ENTRY e {
  x = f32[3,4] parameter(0)
  y = s32[3,4] parameter(1)
  z = f32[] constant(0)
  o = s32[] constant(0)
  ROOT r = (f32[], s32[]) reduce(x, y, z, o), dimensions={0,1}, to_apply=f
})", 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kReshape), 2);
}

TEST(ReductionDimensionGrouperTest, LeavesOtherLayoutsAndSingleDimensions) {
  ExpectUnchangedBy<ReductionDimensionGrouper>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[3,4]{0,1} parameter(0)
  y = f32[3,4,5] parameter(1)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0,1}, to_apply=add
  s = f32[4] reduce(y, z), dimensions={0,2}, to_apply=add
  ROOT t = (f32[], f32[4]) tuple(r, s)
})");
}

}  // namespace
}  // namespace hlokit
