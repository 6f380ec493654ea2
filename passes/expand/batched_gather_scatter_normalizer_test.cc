#include "passes/expand/batched_gather_scatter_normalizer.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BatchedGatherScatterNormalizerTest, BatchesOfGathersBecomeIndices) {
  for (const char* type : {"s8", "u8", "s32", "u64"}) {
    SCOPED_TRACE(type);
    auto module = TransformedBy<BatchedGatherScatterNormalizer>(absl::StrCat(
        "ENTRY e {\n p = f32[4,3,6] parameter(0)\n i = ", type,
        "[3,1,4] constant({{{0,1,2,3}},{{4,5,6,100}},{{1,1,1,1}}})\n"
        " ROOT r = f32[3,4,2] gather(p, i), offset_dims={2}, "
        "collapsed_slice_dims={}, start_index_map={2}, "
        "operand_batching_dims={0,1}, start_indices_batching_dims={2,0}, "
        "index_vector_dim=1, slice_sizes={1,1,2}\n}"));
    EXPECT_FALSE(
        module->entry()->root()->attrs().Has(AttrId::kOperandBatchingDims));
  }
}

TEST(BatchedGatherScatterNormalizerTest, TakesIndicesWithoutVectorDimension) {
  TransformedBy<BatchedGatherScatterNormalizer>(R"(
ENTRY e {
  p = f32[3,5] parameter(0)
  i = s32[3] constant({4,-1,9})
  ROOT r = f32[3] gather(p, i), offset_dims={}, collapsed_slice_dims={1},
    start_index_map={1}, operand_batching_dims={0},
    start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
})");
}

TEST(BatchedGatherScatterNormalizerTest, WidensIndicesThatCannotHoldPositions) {
  auto module = TransformedBy<BatchedGatherScatterNormalizer>(R"(
ENTRY e {
  p = f32[300,5] parameter(0)
  i = u8[300,1] parameter(1)
  ROOT r = f32[300] gather(p, i), offset_dims={}, collapsed_slice_dims={1},
    start_index_map={1}, operand_batching_dims={0},
    start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}
})");
  EXPECT_EQ(
      module->entry()->root()->operand(1)->shape().element_type(), kS32);
}

TEST(BatchedGatherScatterNormalizerTest, BatchesOfScattersBecomeIndices) {
  auto module = TransformedBy<BatchedGatherScatterNormalizer>(R"(
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
ENTRY e {
  p = s32[3,2,5] parameter(0)
  i = s32[2,3] constant({{0,9,4},{1,2,-1}})
  u = s32[2,3,2] parameter(1)
  ROOT r = s32[3,2,5] scatter(p, i, u), update_window_dims={2},
    inserted_window_dims={}, scatter_dims_to_operand_dims={2},
    input_batching_dims={0,1}, scatter_indices_batching_dims={1,0},
    index_vector_dim=2, to_apply=add
})");
  EXPECT_FALSE(
      module->entry()->root()->attrs().Has(AttrId::kInputBatchingDims));
}

TEST(BatchedGatherScatterNormalizerTest, LeavesOthersAlone) {
  ExpectUnchangedBy<BatchedGatherScatterNormalizer>(R"(
ENTRY e {
  p = f32[5,3] parameter(0)
  i = s32[4] parameter(1)
  ROOT r = f32[4,3] gather(p, i), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
})");
}

}  // namespace
}  // namespace hlokit
