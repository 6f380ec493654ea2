#include "passes/expand/cholesky_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// p p^H + n I.
std::string Decompose(absl::string_view type, absl::string_view batch, int n,
                      bool lower) {
  const std::string a = absl::StrCat(type, "[", batch, n, ",", n, "]");
  const std::string sizes = a.substr(type.size());
  const int rank = batch.empty() ? 2 : 3;
  const std::string batches =
      batch.empty() ? "" : "lhs_batch_dims={0}, rhs_batch_dims={0}, ";
  const bool complex = type[0] == 'c';
  const std::string real = type == "c64" ? "f32" : "f64";
  std::string text = absl::StrCat("ENTRY e {\n p = ", a, " parameter(0)\n");
  if (complex) {
    absl::StrAppend(&text, " re = ", real, sizes, " real(p)\n im = ", real,
                    sizes, " imag(p)\n ni = ", real, sizes,
                    " negate(im)\n q = ", a, " complex(re, ni)\n");
  } else {
    absl::StrAppend(&text, " q = ", a, " copy(p)\n");
  }
  return absl::StrCat(
      text, " x = ", a, " dot(p, q), ", batches, "lhs_contracting_dims={",
      rank - 1, "}, rhs_contracting_dims={", rank - 1, "}\n i = s32", sizes,
      " iota(), iota_dimension=", rank - 2, "\n j = s32", sizes,
      " iota(), iota_dimension=", rank - 1, "\n d = pred", sizes,
      " compare(i, j), direction=EQ\n c = ", type, "[] constant(", 
      complex ? absl::StrCat("(", n, ", 0)") : absl::StrCat(n),
      ")\n cb = ", a, " broadcast(c), dimensions={}\n y = ", a,
      " add(x, cb)\n s = ", a, " select(d, y, x)\n ROOT r = ", a,
      " cholesky(s), lower=", lower ? "true" : "false", "\n}");
}

TEST(CholeskyExpanderTest, KeepsValuesOfTypesAndTriangles) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    for (const bool lower : {true, false}) {
      SCOPED_TRACE(absl::StrCat(type, lower));
      const bool wide = absl::string_view(type) == "f64" ||
                        absl::string_view(type) == "c128";
      auto module = TransformedBy<CholeskyExpander>(
          Decompose(type, "3,", 6, lower), wide ? 1e-9 : 1e-3);
      EXPECT_EQ(CountOf(*module, Opcode::kCholesky), 0);
    }
  }
}

TEST(CholeskyExpanderTest, KeepsValuesOfSizes) {
  for (const int n : {1, 2, 64, 65, 130}) {
    SCOPED_TRACE(n);
    TransformedBy<CholeskyExpander>(Decompose("f64", "", n, n % 2 == 0), 1e-8);
  }
  TransformedBy<CholeskyExpander>(Decompose("f64", "0,", 3, true), 1e-8);
}

TEST(CholeskyExpanderTest, TakesNarrowFloats) {
  TransformedBy<CholeskyExpander>(Decompose("bf16", "", 4, true), 0.1);
  TransformedBy<CholeskyExpander>(Decompose("f16", "", 4, false), 0.05);
}

TEST(CholeskyExpanderTest, GivesNaNWhereThereIsNone) {
  TransformedBy<CholeskyExpander>(R"(
ENTRY e {
  a = f32[4,2,2] constant({{{4, 9}, {2, 5}}, {{1, 9}, {2, 1}}, {{0, 0}, {0, 0}},
    {{nan, 0}, {0, 1}}})
  ROOT r = f32[4,2,2] cholesky(a), lower=true
})", 1e-5);
}

TEST(CholeskyExpanderTest, LeavesOtherOperationsAlone) {
  ExpectUnchangedBy<CholeskyExpander>(R"(
ENTRY e {
  p = f32[3,3] parameter(0)
  ROOT r = f32[3,3] sqrt(p)
})");
}

}  // namespace
}  // namespace hlokit
