#include "passes/expand/associative_scan_rewriter.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Scan(absl::string_view type, absl::string_view op,
                 absl::string_view attributes = "is_associative=true") {
  return absl::StrCat(
      "f {\n x = ", type, "[3] parameter(0)\n c = ", type,
      "[3] parameter(1)\n s = ", type, "[3] ", op,
      "(c, x)\n ROOT r = (", type, "[3], ", type,
      "[3]) tuple(s, s)\n}\nENTRY e {\n x = ", type,
      "[3,20] parameter(0)\n c = ", type, "[3] parameter(1)\n ROOT r = (",
      type, "[3,20], ", type,
      "[3]) scan(x, c), dimensions={1}, num_carries=1, ", attributes,
      ", to_apply=f\n}");
}

TEST(AssociativeScanRewriterTest, BecomesAReduceWindow) {
  auto module =
      TransformedBy<AssociativeScanRewriter>(Scan("f32", "add"), 1e-4);
  EXPECT_EQ(CountOf(*module, Opcode::kScan), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kReduceWindow), 1);
}

TEST(AssociativeScanRewriterTest, KeepsValuesOfOperationsAndDirections) {
  for (const char* direction :
       {"is_associative=true", "is_reverse=true, is_associative=true"}) {
    for (const char* op : {"add", "multiply", "minimum", "maximum"}) {
      for (const char* type : {"s32", "f64", "u8"}) {
        SCOPED_TRACE(absl::StrCat(type, op, direction));
        TransformedBy<AssociativeScanRewriter>(Scan(type, op, direction),
                                               1e-9);
      }
    }
    TransformedBy<AssociativeScanRewriter>(Scan("s32", "and", direction));
    TransformedBy<AssociativeScanRewriter>(Scan("pred", "or", direction));
  }
}

TEST(AssociativeScanRewriterTest, LeavesWhatMayNotBeReorderedAlone) {
  ExpectUnchangedBy<AssociativeScanRewriter>(Scan("f32", "subtract"));
  ExpectUnchangedBy<AssociativeScanRewriter>(
      Scan("f32", "add", "is_reverse=true"));
}

}  // namespace
}  // namespace hlokit
