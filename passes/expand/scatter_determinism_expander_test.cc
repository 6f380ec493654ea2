#include "passes/expand/scatter_determinism_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ScatterDeterminismExpanderTest, FixesTheOrderOfFloatSums) {
  auto module = TransformedBy<ScatterDeterminismExpander>(R"(
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
})", 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kScatter), 0);
}

TEST(ScatterDeterminismExpanderTest, LeavesIntegerSumsAlone) {
  ExpectUnchangedBy<ScatterDeterminismExpander>(R"(
combine {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT r = s32[] add(a, b)
}
ENTRY e {
  p = s32[4,2] parameter(0)
  i = s32[3] constant({2,0,2})
  u = s32[3,2] parameter(1)
  ROOT r = s32[4,2] scatter(p, i, u), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=combine
})");
}

}  // namespace
}  // namespace hlokit
