#include "passes/simplify/scatter_simplifier.h"

#include "gtest/gtest.h"
#include "passes/gather_dims.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

void ExpectSimple(const char* text) {
  auto module = TransformedBy<ScatterSimplifier>(text);
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::kScatter) continue;
    EXPECT_TRUE(ScatterDimsOf(*i).inserted_window_dims.empty());
  }
}

TEST(ScatterSimplifierTest, InsertedAndPermutedDimensions) {
  ExpectSimple(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,6,9] parameter(0)
  i = s32[2,4,3] parameter(1)
  u = f32[4,2,3,6] parameter(2)
  ROOT s = f32[8,6,9] scatter(x, i, u), update_window_dims={1,3}, inserted_window_dims={0}, scatter_dims_to_operand_dims={2,0}, index_vector_dim=0, to_apply=add
})");
}

TEST(ScatterSimplifierTest, SeveralOperands) {
  ExpectSimple(R"(
HloModule m
two {
  a = f32[] parameter(0) b = s32[] parameter(1)
  c = f32[] parameter(2) d = s32[] parameter(3)
  s = f32[] add(a, c) m = s32[] maximum(b, d)
  ROOT t = (f32[], s32[]) tuple(s, m)
}
ENTRY e {
  x = f32[8,3] parameter(0)
  y = s32[8,3] parameter(1)
  i = s32[5] parameter(2)
  u = f32[5,3] parameter(3)
  v = s32[5,3] parameter(4)
  ROOT s = (f32[8,3], s32[8,3]) scatter(x, y, i, u, v), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=two
})");
}

TEST(ScatterSimplifierTest, LeavesSimpleScatters) {
  ExpectUnchangedBy<ScatterSimplifier>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,3] parameter(0)
  i = s32[5,1] parameter(1)
  u = f32[5,1,3] parameter(2)
  ROOT s = f32[8,3] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
