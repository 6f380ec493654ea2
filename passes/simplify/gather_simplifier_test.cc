#include "passes/simplify/gather_simplifier.h"

#include "gtest/gtest.h"
#include "passes/gather_dims.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

void ExpectSimple(const char* text) {
  auto module = TransformedBy<GatherSimplifier>(text);
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::kGather) continue;
    EXPECT_TRUE(GatherDimsOf(*i).collapsed_slice_dims.empty());
    EXPECT_EQ(i->operand(0)->opcode(), Opcode::kParameter) << "not moved";
    EXPECT_EQ(i->operand(1)->shape().rank(), 2);
  }
}

TEST(GatherSimplifierTest, CollapsedAndPermutedDimensions) {
  ExpectSimple(R"(
ENTRY e {
  x = f32[5,6,7] parameter(0)
  i = s32[2,4,3] parameter(1)
  ROOT g = f32[4,2,3,6] gather(x, i), offset_dims={1,3}, collapsed_slice_dims={0}, start_index_map={2,0}, index_vector_dim=0, slice_sizes={1,2,6}
})");
}

TEST(GatherSimplifierTest, AnImplicitIndexVector) {
  ExpectSimple(R"(
ENTRY e {
  x = f32[8,3] parameter(0)
  i = s32[2,4] parameter(1)
  ROOT g = f32[2,4,3] gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,3}
})");
}

TEST(GatherSimplifierTest, OneIndexVector) {
  ExpectSimple(R"(
ENTRY e {
  x = f32[8,9] parameter(0)
  i = s32[2] parameter(1)
  ROOT g = f32[3,2] gather(x, i), offset_dims={0,1}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=0, slice_sizes={3,2}
})");
}

TEST(GatherSimplifierTest, LeavesTheOrderOfIndexedDimensions) {
  ExpectUnchangedBy<GatherSimplifier>(R"(
ENTRY e {
  x = f32[6,7,4] parameter(0)
  i = s32[5,2] parameter(1)
  ROOT g = f32[5,1,7,2] gather(x, i), offset_dims={1,2,3}, collapsed_slice_dims={}, start_index_map={2,0}, index_vector_dim=1, slice_sizes={1,7,2}
})");
}

TEST(GatherSimplifierTest, LeavesSimpleGathers) {
  ExpectUnchangedBy<GatherSimplifier>(R"(
ENTRY e {
  x = f32[8,9] parameter(0)
  i = s32[5,1] parameter(1)
  ROOT g = f32[5,1,9] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,9}
})");
}

}  // namespace
}  // namespace hlokit
