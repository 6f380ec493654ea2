#include "passes/expand/scan_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// Stacks the sums so far and counts the steps.
std::string Scan(absl::string_view sizes, absl::string_view slice,
                 int dimension, bool reverse) {
  const std::string x = absl::StrCat("f32", sizes);
  const std::string v = absl::StrCat("f32", slice);
  return absl::StrCat(
      "f {\n x = ", v, " parameter(0)\n c = ", v,
      " parameter(1)\n n = s32[] parameter(2)\n one = s32[] constant(1)\n m = "
      "s32[] add(n, one)\n s = ", v, " add(c, x)\n d = ", v,
      " subtract(c, x)\n ROOT r = (", v, ", ", v,
      ", s32[]) tuple(d, s, m)\n}\nENTRY e {\n x = ", x,
      " parameter(0)\n c = ", v,
      " parameter(1)\n n = s32[] parameter(2)\n ROOT r = (", x, ", ", v,
      ", s32[]) scan(x, c, n), dimensions={", dimension, "}, num_carries=2, ",
      reverse ? "is_reverse=true, " : "", "to_apply=f\n}");
}

TEST(ScanExpanderTest, BecomesALoop) {
  auto module =
      TransformedBy<ScanExpander>(Scan("[5,3]", "[3]", 0, false), 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kScan), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kWhile), 1);
}

TEST(ScanExpanderTest, KeepsValuesOfDimensionsAndDirections) {
  for (const bool reverse : {false, true}) {
    SCOPED_TRACE(reverse);
    TransformedBy<ScanExpander>(Scan("[5,3]", "[3]", 0, reverse), 1e-5);
    TransformedBy<ScanExpander>(Scan("[4,5,3]", "[4,3]", 1, reverse), 1e-5);
    TransformedBy<ScanExpander>(Scan("[4,5]", "[4]", 1, reverse), 1e-5);
    TransformedBy<ScanExpander>(Scan("[6]", "[]", 0, reverse), 1e-5);
    TransformedBy<ScanExpander>(Scan("[1,2]", "[2]", 0, reverse), 1e-5);
    TransformedBy<ScanExpander>(Scan("[0,2]", "[2]", 0, reverse), 1e-5);
  }
}

TEST(ScanExpanderTest, LeavesLoopsAlone) {
  ExpectUnchangedBy<ScanExpander>(R"(
c {
  p = (s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
b {
  p = (s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(1)
  a = s32[] add(i, n)
  ROOT r = (s32[]) tuple(a)
}
ENTRY e {
  i = s32[] parameter(0)
  t = (s32[]) tuple(i)
  ROOT r = (s32[]) while(t), condition=c, body=b
})");
}

}  // namespace
}  // namespace hlokit
