#include "passes/expand/ragged_dot_rewriter.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Ragged(absl::string_view type, absl::string_view lhs,
                   absl::string_view rhs, absl::string_view sizes,
                   absl::string_view result, absl::string_view attributes) {
  return absl::StrCat("ENTRY e {\n a = ", type, lhs,
                      " parameter(0)\n b = ", type, rhs,
                      " parameter(1)\n g = ", sizes, "\n ROOT r = ", type,
                      result, " ragged-dot(a, b, g), ", attributes, "\n}");
}

TEST(RaggedDotRewriterTest, ContractsTheGroupsOfRaggedRows) {
  for (const char* type : {"f32", "f64", "s32"}) {
    for (const char* sizes : {"{2,0,3}", "{4,4,4}", "{0,0,0}", "{9,-1,2}",
                              "{2147483647,2147483647,1}"}) {
      SCOPED_TRACE(absl::StrCat(type, sizes));
      auto module = TransformedBy<RaggedDotRewriter>(
          Ragged(type, "[7,4]", "[3,4,5]",
                 absl::StrCat("s32[3] constant(", sizes, ")"), "[7,5]",
                 "lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
                 "lhs_ragged_dims={0}, rhs_group_dims={0}"),
          1e-4);
      EXPECT_EQ(CountOf(*module, Opcode::kRaggedDot), 0);
    }
  }
}

TEST(RaggedDotRewriterTest, GivesAResultForEachGroupOfAContraction) {
  TransformedBy<RaggedDotRewriter>(
      Ragged("f32", "[4,7]", "[7,5]", "u64[3] constant({2,0,4})", "[3,4,5]",
             "lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
             "lhs_ragged_dims={1}"),
      1e-4);
}

TEST(RaggedDotRewriterTest, GroupsMayDifferFromBatchToBatch) {
  TransformedBy<RaggedDotRewriter>(
      Ragged("f64", "[2,7,4]", "[3,2,4,5]",
             "s64[2,3] constant({{2,3,1},{0,7,2}})", "[2,7,5]",
             "lhs_batch_dims={0}, lhs_contracting_dims={2}, "
             "rhs_batch_dims={1}, rhs_contracting_dims={2}, "
             "lhs_ragged_dims={1}, rhs_group_dims={0}"));
  TransformedBy<RaggedDotRewriter>(
      Ragged("f64", "[4,2,7]", "[2,7,5]",
             "s32[2,3] constant({{2,3,1},{0,7,2}})", "[3,2,4,5]",
             "lhs_batch_dims={1}, lhs_contracting_dims={2}, "
             "rhs_batch_dims={0}, rhs_contracting_dims={1}, "
             "lhs_ragged_dims={2}"));
}

TEST(RaggedDotRewriterTest, RaggedBatchesAreAPlainDot) {
  auto module = TransformedBy<RaggedDotRewriter>(
      Ragged("f32", "[3,7,4]", "[3,4,5]", "s32[2] constant({2,1})",
             "[3,7,5]",
             "lhs_batch_dims={0}, lhs_contracting_dims={2}, "
             "rhs_batch_dims={0}, rhs_contracting_dims={1}, "
             "lhs_ragged_dims={0}"),
      1e-4);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kDot);
}

TEST(RaggedDotRewriterTest, LeavesDotsAlone) {
  ExpectUnchangedBy<RaggedDotRewriter>(R"(
ENTRY e {
  a = f32[3,4] parameter(0)
  b = f32[4,5] parameter(1)
  ROOT r = f32[3,5] dot(a, b), lhs_contracting_dims={1},
    rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
