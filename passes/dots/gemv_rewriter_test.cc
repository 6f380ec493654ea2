#include "passes/dots/gemv_rewriter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(GemvRewriterTest, VectorsOnTheRightGetAColumn) {
  auto module = TransformedBy<GemvRewriter>(R"(
ENTRY e {
  a = f32[3,4,5] parameter(0)
  v = f32[3,5] parameter(1)
  ROOT d = f32[3,4] dot(a, v), lhs_batch_dims={0}, rhs_batch_dims={0},
      lhs_contracting_dims={2}, rhs_contracting_dims={1}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter reshape dot reshape");
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().rank(), 3);
}

TEST(GemvRewriterTest, VectorsOnTheLeftGetARow) {
  TransformedBy<GemvRewriter>(R"(
ENTRY e {
  v = f32[5] parameter(0)
  a = f32[5,4] parameter(1)
  ROOT d = f32[4] dot(v, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
})");
}

TEST(GemvRewriterTest, LeavesOtherDots) {
  ExpectUnchangedBy<GemvRewriter>(R"(
ENTRY e {
  v = f32[5] parameter(0)
  w = f32[5] parameter(1)
  d = f32[] dot(v, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  a = f32[5,4] parameter(2)
  f = f32[5,5] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = (f32[], f32[5,5]) tuple(d, f)
})");
}

}  // namespace
}  // namespace hlokit
