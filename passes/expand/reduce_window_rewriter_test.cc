#include "passes/expand/reduce_window_rewriter.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Sums(absl::string_view type, absl::string_view sizes,
                 absl::string_view window, absl::string_view op = "add",
                 absl::string_view init = "0") {
  return absl::StrCat("f {\n a = ", type, "[] parameter(0)\n b = ", type,
                      "[] parameter(1)\n ROOT r = ", type, "[] ", op,
                      "(a, b)\n}\nENTRY e {\n p = ", type, sizes,
                      " parameter(0)\n z = ", type, "[] constant(", init,
                      ")\n ROOT r = ", type, sizes,
                      " reduce-window(p, z), window={", window,
                      "}, to_apply=f\n}");
}

TEST(ReduceWindowRewriterTest, LongSumsBecomeTrees) {
  auto module = TransformedBy<ReduceWindowRewriter>(
      Sums("f64", "[1000]", "size=1000 pad=999_0"), 1e-9);
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() != Opcode::kReduceWindow) continue;
    for (const WindowDimension& w : i->window()->dimensions) {
      EXPECT_LE(w.size, 16);
    }
  }
}

TEST(ReduceWindowRewriterTest, KeepsValuesOfSizesAndDirections) {
  for (const int n : {17, 32, 33, 300}) {
    for (const bool prefixes : {true, false}) {
      SCOPED_TRACE(absl::StrCat(n, prefixes));
      const std::string pad = prefixes ? absl::StrCat(n - 1, "_0")
                                       : absl::StrCat("0_", n - 1);
      TransformedBy<ReduceWindowRewriter>(
          Sums("s32", absl::StrCat("[", n, "]"),
               absl::StrCat("size=", n, " pad=", pad)));
      TransformedBy<ReduceWindowRewriter>(
          Sums("s32", absl::StrCat("[2,", n, ",3]"),
               absl::StrCat("size=1x", n, "x1 pad=0_0x", pad, "x0_0")));
      TransformedBy<ReduceWindowRewriter>(
          Sums("f32", absl::StrCat("[", n, ",2]"),
               absl::StrCat("size=", n, "x1 pad=", pad, "x0_0"), "maximum",
               "-inf"));
    }
  }
}

// (a, m) then (b, n): b + a m, m n, as linear recurrences have it.
TEST(ReduceWindowRewriterTest, KeepsTheOrderOfSeveralOperands) {
  for (const char* pad : {"39_0", "0_39"}) {
    TransformedBy<ReduceWindowRewriter>(absl::StrCat(R"(
f {
  a = s32[] parameter(0)
  m = s32[] parameter(1)
  b = s32[] parameter(2)
  n = s32[] parameter(3)
  x = s32[] multiply(a, n)
  y = s32[] add(x, b)
  z = s32[] multiply(m, n)
  ROOT r = (s32[], s32[]) tuple(y, z)
}
ENTRY e {
  p = s32[40] parameter(0)
  q = s32[40] parameter(1)
  zero = s32[] constant(0)
  one = s32[] constant(1)
  ROOT r = (s32[40], s32[40]) reduce-window(p, q, zero, one),
    window={size=40 pad=)", pad, R"(}, to_apply=f
})"));
  }
}

TEST(ReduceWindowRewriterTest, LeavesShortSumsAndOtherWindowsAlone) {
  ExpectUnchangedBy<ReduceWindowRewriter>(
      Sums("f32", "[16]", "size=16 pad=15_0"));
  ExpectUnchangedBy<ReduceWindowRewriter>(
      Sums("f32", "[40]", "size=9 pad=4_4"));
}

}  // namespace
}  // namespace hlokit
