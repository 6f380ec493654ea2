#include "passes/expand/triangular_solve_expander.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// a is small but for a diagonal that makes the system a kind one.
std::string Solve(absl::string_view type, absl::string_view batch, int n, int m,
                  bool left, bool lower, absl::string_view transpose,
                  bool unit = false) {
  const std::string a = absl::StrCat(type, "[", batch, n, ",", n, "]");
  const std::string b = left ? absl::StrCat(type, "[", batch, n, ",", m, "]")
                             : absl::StrCat(type, "[", batch, m, ",", n, "]");
  const bool complex = type[0] == 'c';
  const int rank = 2 + (batch.empty() ? 0 : 1);
  const std::string counts = absl::StrCat("s32", a.substr(type.size()));
  const std::string pred = absl::StrCat("pred", a.substr(type.size()));
  return absl::StrCat(
      "ENTRY e {\n p = ", a, " parameter(0)\n b = ", b,
      " parameter(1)\n i = ", counts, " iota(), iota_dimension=", rank - 2,
      "\n j = ", counts, " iota(), iota_dimension=", rank - 1,
      "\n d = ", pred, " compare(i, j), direction=EQ\n s = ", type,
      "[] constant(", complex ? "(0.05, 0)" : "0.05", ")\n sb = ", a,
      " broadcast(s), dimensions={}\n q = ", a,
      " multiply(p, sb)\n t = ", type, "[] constant(",
      complex ? "(3, 0)" : "3", ")\n tb = ", a,
      " broadcast(t), dimensions={}\n w = ", a, " add(q, tb)\n a = ", a,
      " select(d, w, q)\n ROOT r = ", b, " triangular-solve(a, b), left_side=",
      left ? "true" : "false", ", lower=", lower ? "true" : "false",
      ", unit_diagonal=", unit ? "true" : "false", ", transpose_a=", transpose,
      "\n}");
}

double Tolerance(absl::string_view type) {
  return type == "f64" || type == "c128" ? 1e-8
         : type == "f32" || type == "c64" ? 1e-3 : 0.1;
}

TEST(TriangularSolveExpanderTest, KeepsValuesOfAllForms) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    for (const bool left : {true, false}) {
      for (const bool lower : {true, false}) {
        for (const char* turn : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          SCOPED_TRACE(absl::StrCat(type, left, lower, turn));
          auto module = TransformedBy<TriangularSolveExpander>(
              Solve(type, "2,", 5, 3, left, lower, turn), Tolerance(type));
          EXPECT_EQ(CountOf(*module, Opcode::kTriangularSolve), 0);
        }
      }
    }
  }
}

TEST(TriangularSolveExpanderTest, LeavesLargeSystemsToTheBackends) {
  constexpr char kText[] = R"(
    ENTRY e {
      a = f32[%d,%d] parameter(0)
      b = f32[%d,1] parameter(1)
      ROOT r = f32[%d,1] triangular-solve(a, b), left_side=true, lower=true,
        transpose_a=NO_TRANSPOSE
    })";
  for (const int n : {16384, 16385}) {
    auto module = ParseOrDie(absl::StrFormat(kText, n, n, n, n));
    ASSERT_NE(module, nullptr);
    TriangularSolveExpander pass;
    const auto changed = pass.Run(module.get());
    ASSERT_TRUE(changed.ok());
    EXPECT_EQ(*changed, n == 16384);
  }
}

TEST(TriangularSolveExpanderTest, KeepsValuesOfSizes) {
  for (const int n : {1, 2, 64, 65, 130}) {
    SCOPED_TRACE(n);
    TransformedBy<TriangularSolveExpander>(
        Solve("f64", "", n, 4, true, true, "NO_TRANSPOSE"), 1e-7);
  }
  TransformedBy<TriangularSolveExpander>(
      Solve("f64", "3,", 70, 1, false, false, "NO_TRANSPOSE"), 1e-7);
  TransformedBy<TriangularSolveExpander>(
      Solve("f32", "0,", 3, 2, true, true, "NO_TRANSPOSE"), 1e-7);
}

TEST(TriangularSolveExpanderTest, TakesNarrowFloatsAndUnitDiagonals) {
  TransformedBy<TriangularSolveExpander>(
      Solve("bf16", "", 4, 2, true, true, "NO_TRANSPOSE"), Tolerance("bf16"));
  TransformedBy<TriangularSolveExpander>(
      Solve("f16", "", 4, 2, true, false, "NO_TRANSPOSE"), Tolerance("f16"));
  TransformedBy<TriangularSolveExpander>(
      Solve("f32", "", 6, 2, true, true, "TRANSPOSE", true), 1e-3);
}

TEST(TriangularSolveExpanderTest, NeverLooksAtTheOtherTriangle) {
  TransformedBy<TriangularSolveExpander>(R"(
ENTRY e {
  a = f32[3,3] constant({{2, nan, nan}, {1, 4, inf}, {3, 1, 1}})
  b = f32[3,2] parameter(0)
  ROOT r = f32[3,2] triangular-solve(a, b), left_side=true, lower=true,
    transpose_a=NO_TRANSPOSE
})", 1e-4);
}

TEST(TriangularSolveExpanderTest, AZeroPivotGivesNaN) {
  TransformedBy<TriangularSolveExpander>(R"(
ENTRY e {
  a = f32[2,2] constant({{2, 0}, {1, 0}})
  b = f32[2,2] parameter(0)
  ROOT r = f32[2,2] triangular-solve(a, b), left_side=true, lower=true,
    transpose_a=NO_TRANSPOSE
})", 1e-4);
}

TEST(TriangularSolveExpanderTest, LeavesCholeskyAlone) {
  ExpectUnchangedBy<TriangularSolveExpander>(R"(
ENTRY e {
  p = f32[3,3] parameter(0)
  ROOT r = f32[3,3] cholesky(p), lower=true
})");
}

}  // namespace
}  // namespace hlokit
