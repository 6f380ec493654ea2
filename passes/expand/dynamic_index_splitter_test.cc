#include "passes/expand/dynamic_index_splitter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DynamicIndexSplitterTest, GivesASliceAScalarForEachDimension) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4,5,6] parameter(0)
  i = s32[3] parameter(1)
  ROOT r = f32[1,5,2] dynamic-slice(p, i), dynamic_slice_sizes={1,5,2}
})");
  DynamicIndexSplitter pass;
  RunPass(&pass, module.get(), true);
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->operand_count(), 4);
  for (int64_t n = 1; n < 4; ++n) {
    EXPECT_TRUE(root->operand(n)->shape().IsScalar());
  }
}

TEST(DynamicIndexSplitterTest, SplitsTheStartsOfUpdates) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = s8[4,5] parameter(0)
  u = s8[2,2] parameter(1)
  i = s64[2] parameter(2)
  ROOT r = s8[4,5] dynamic-update-slice(p, u, i)
})");
  DynamicIndexSplitter pass;
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(module->entry()->root()->operand_count(), 4);
}

TEST(DynamicIndexSplitterTest, LeavesScalarStartsAlone) {
  ExpectUnchangedBy<DynamicIndexSplitter>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}
})");
}

}  // namespace
}  // namespace hlokit
