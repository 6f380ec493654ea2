#include "passes/expand/topk_splitter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(TopKSplitterTest, SearchesPiecesFirst) {
  TopKSplitter pass(/*size=*/16);
  auto module = Transformed(&pass, R"(
ENTRY e {
  x = f32[64] parameter(0)
  ROOT t = (f32[3], s32[3]) topk(x), k=3, largest=true
})");
  EXPECT_EQ(CountOf(*module, Opcode::kTopK), 2);
}

TEST(TopKSplitterTest, LeavesShortRowsAndOddLengths) {
  TopKSplitter pass(/*size=*/16);
  ExpectUnchanged(&pass, R"(
ENTRY e {
  x = f32[65] parameter(0)
  y = f32[16] parameter(1)
  t = (f32[3], s32[3]) topk(x), k=3, largest=true
  u = (f32[3], s32[3]) topk(y), k=3, largest=true
  ROOT r = ((f32[3], s32[3]), (f32[3], s32[3])) tuple(t, u)
})");
}

}  // namespace
}  // namespace hlokit
