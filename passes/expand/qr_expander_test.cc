#include "passes/expand/qr_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Qr(absl::string_view type, absl::string_view batch, int m, int n) {
  const std::string a = absl::StrCat(type, "[", batch, m, ",", n, "]");
  return absl::StrCat("ENTRY e {\n p = ", a, " parameter(0)\n ROOT r = (", a,
                      ", ", type, "[", batch, std::min(m, n),
                      "]) custom-call(p), custom_call_target=\"Qr\"\n}");
}

// Of reflectors that come from a decomposition.
std::string Product(absl::string_view type, absl::string_view batch, int m,
                    int n) {
  const std::string a = absl::StrCat(type, "[", batch, m, ",", n, "]");
  const std::string t =
      absl::StrCat(type, "[", batch, std::min(m, n), "]");
  return absl::StrCat(
      "ENTRY e {\n p = ", a, " parameter(0)\n q = (", a, ", ", t,
      ") custom-call(p), custom_call_target=\"Qr\"\n v = ", a,
      " get-tuple-element(q), index=0\n t = ", t,
      " get-tuple-element(q), index=1\n ROOT r = ", a,
      " custom-call(v, t), custom_call_target="
      "\"ProductOfElementaryHouseholderReflectors\"\n}");
}

double Tolerance(absl::string_view type) {
  return type == "f64" || type == "c128" ? 1e-8 : 2e-3;
}

TEST(QrExpanderTest, DecomposesAsLapackDoes) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    SCOPED_TRACE(type);
    for (const auto& [m, n] : {std::pair(4, 4), {6, 3}, {3, 6}, {1, 1}, {5, 1},
                               {1, 4}}) {
      SCOPED_TRACE(absl::StrCat(m, "x", n));
      auto module = TransformedBy<QrExpander>(Qr(type, "2,", m, n),
                                              Tolerance(type));
      EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 0);
    }
  }
}

TEST(QrExpanderTest, WorksInPanels) {
  TransformedBy<QrExpander>(Qr("f64", "", 70, 40), 1e-7);
  TransformedBy<QrExpander>(Qr("f64", "", 40, 70), 1e-7);
  TransformedBy<QrExpander>(Product("f64", "", 70, 40), 1e-7);
}

TEST(QrExpanderTest, MultipliesReflectors) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    SCOPED_TRACE(type);
    TransformedBy<QrExpander>(Product(type, "", 5, 5), Tolerance(type));
    TransformedBy<QrExpander>(Product(type, "3,", 6, 2), Tolerance(type));
  }
}

TEST(QrExpanderTest, ReflectsNothingWhereAllIsZeroBelow) {
  TransformedBy<QrExpander>(R"(
ENTRY e {
  p = f64[3,3] constant({{2, 1, 3}, {0, -4, 1}, {0, 0, 0}})
  ROOT r = (f64[3,3], f64[3]) custom-call(p), custom_call_target="Qr"
})", 1e-12);
}

TEST(QrExpanderTest, TakesEmptyStacks) {
  TransformedBy<QrExpander>(Qr("f32", "0,", 3, 2), 1e-6);
}

TEST(QrExpanderTest, LeavesOtherCallsAlone) {
  ExpectUnchangedBy<QrExpander>(R"(
ENTRY e {
  p = f32[3,3] parameter(0)
  ROOT r = (f32[3,3], f32[3]) custom-call(p), custom_call_target="Eigh"
})");
}

}  // namespace
}  // namespace hlokit
