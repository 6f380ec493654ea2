#include "passes/expand/gpu_scatter_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(GpuScatterExpanderTest, TakesWideElements) {
  auto module = TransformedBy<GpuScatterExpander>(R"(
combine {
  a = c128[] parameter(0)
  b = c128[] parameter(1)
  ROOT r = c128[] add(a, b)
}
ENTRY e {
  p = c128[4,2] parameter(0)
  i = s32[3] constant({2,0,2})
  u = c128[3,2] parameter(1)
  ROOT r = c128[4,2] scatter(p, i, u), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=combine
})", 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kScatter), 0);
}

TEST(GpuScatterExpanderTest, LeavesWhatAtomicsCanDoAlone) {
  ExpectUnchangedBy<GpuScatterExpander>(R"(
combine {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  p = f32[4,2] parameter(0)
  i = s32[3] constant({2,0,2})
  u = f32[3,2] parameter(1)
  ROOT r = f32[4,2] scatter(p, i, u), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=combine
})");
}

}  // namespace
}  // namespace hlokit
