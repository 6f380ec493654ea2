#include "passes/simplify/batched_gather_scatter_normalizer.h"

#include "gtest/gtest.h"
#include "passes/gather_dims.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BatchedNormalizerTest, GathersNumberTheirBatches) {
  auto module = TransformedBy<BatchedGatherScatterNormalizer>(R"(
ENTRY e {
  x = f32[4,8,3] parameter(0)
  i = s32[4,5,1] parameter(1)
  ROOT g = f32[4,5,3] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,3}
})");
  EXPECT_TRUE(
      GatherDimsOf(*module->entry()->root()).operand_batching_dims.empty());
}

TEST(BatchedNormalizerTest, ScattersNumberTheirBatches) {
  auto module = TransformedBy<BatchedGatherScatterNormalizer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,8,3] parameter(0)
  i = s32[5,4] parameter(1)
  u = f32[5,4,3] parameter(2)
  ROOT s = f32[4,8,3] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={1}, index_vector_dim=2, to_apply=add
})");
  EXPECT_TRUE(
      ScatterDimsOf(*module->entry()->root()).input_batching_dims.empty());
}

TEST(BatchedNormalizerTest, LeavesOthers) {
  ExpectUnchangedBy<BatchedGatherScatterNormalizer>(R"(
ENTRY e {
  x = f32[8,3] parameter(0)
  i = s32[4,1] parameter(1)
  ROOT g = f32[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
})");
}

}  // namespace
}  // namespace hlokit
