#include "passes/dots/dot_decomposer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

const Instruction* DotOf(const Module& module) {
  for (const Instruction* i : module.entry()->instructions()) {
    if (i->opcode() == Opcode::kDot) return i;
  }
  return nullptr;
}

TEST(DotDecomposerTest, MergesDimensionsAndPutsBatchesFirst) {
  auto module = TransformedBy<DotDecomposer>(R"(
ENTRY e {
  x = f32[2,3,4,5,6] parameter(0)
  y = f32[6,7,4,3,8] parameter(1)
  ROOT d = f32[4,2,5,7,8] dot(x, y), lhs_batch_dims={2}, rhs_batch_dims={2}, lhs_contracting_dims={1,4}, rhs_contracting_dims={3,0}
})");
  const Instruction* dot = DotOf(*module);
  EXPECT_EQ(dot->shape().ToString(false), "f32[4,10,56]");
  EXPECT_EQ(dot->operand(0)->shape().ToString(false), "f32[4,10,18]");
  EXPECT_EQ(dot->operand(1)->shape().ToString(false), "f32[4,18,56]");
}

TEST(DotDecomposerTest, AVectorHasNoFreeDimension) {
  auto module = TransformedBy<DotDecomposer>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] parameter(1)
  ROOT d = f32[] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}
})");
  EXPECT_EQ(DotOf(*module)->operand(0)->shape().ToString(false), "f32[6]");
}

TEST(DotDecomposerTest, ContractsOverAOneWhereThereIsNothing) {
  auto module = TransformedBy<DotDecomposer>(R"(
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[3] parameter(1)
  ROOT d = f32[2,3] dot(x, y)
})");
  EXPECT_EQ(DotOf(*module)->operand(0)->shape().ToString(false), "f32[2,1]");
}

TEST(DotDecomposerTest, LeavesCanonicalDots) {
  ExpectUnchangedBy<DotDecomposer>(R"(
ENTRY e {
  x = f32[9,2,3] parameter(0)
  y = f32[9,5,3] parameter(1)
  v = f32[9,3] parameter(2)
  d = f32[9,2,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  f = f32[9,2] dot(x, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  ROOT t = (f32[9,2,5], f32[9,2]) tuple(d, f)
})");
}

}  // namespace
}  // namespace hlokit
