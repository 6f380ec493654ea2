// Decompositions are checked by what they must satisfy: their factors' product
// is the matrix, unitary ones have an inverse that is their adjoint, ...
#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/interpreter/test_util.h"

namespace hlokit::interpreter {
namespace {

using ::testing::ElementsAre;
using C = std::complex<double>;

// Row-major.
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<C> values;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(r * c) {}
  C& at(int64_t i, int64_t j) { return values[i * columns + j]; }
  C at(int64_t i, int64_t j) const { return values[i * columns + j]; }
};

Matrix Multiply(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) {
        c.at(i, j) += a.at(i, k) * b.at(k, j);
      }
    }
  }
  return c;
}
Matrix Adjoint(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) t.at(j, i) = std::conj(a.at(i, j));
  }
  return t;
}
Matrix Identity(int64_t n) {
  Matrix a(n, n);
  for (int64_t i = 0; i < n; ++i) a.at(i, i) = 1;
  return a;
}
Matrix Keep(const Matrix& a, const std::function<bool(int64_t, int64_t)>& keep) {
  Matrix b = a;
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      if (!keep(i, j)) b.at(i, j) = 0;
    }
  }
  return b;
}
Matrix Upper(const Matrix& a) {
  return Keep(a, [](int64_t i, int64_t j) { return j >= i; });
}
Matrix Diagonal(const std::vector<C>& values) {
  Matrix a(values.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) a.at(i, i) = values[i];
  return a;
}

// Matrix `i` of a batch, or a vector of it as one column.
Matrix Take(const Literal& batch, int64_t i, int64_t rows, int64_t columns) {
  const Literal wide = *ConvertLiteral(batch, kC128);
  Matrix a(rows, columns);
  for (size_t k = 0; k < a.values.size(); ++k) {
    a.values[k] = wide.data<C>()[i * a.values.size() + k];
  }
  return a;
}

Literal RandomMatrices(PrimitiveType type, int64_t rows, int64_t columns,
                       int seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<C> values(2 * rows * columns);
  for (C& value : values) {
    value = {draw(random), IsComplexType(type) ? draw(random) : 0};
  }
  return *ConvertLiteral(Literal::Array<C>({2, rows, columns}, values), type);
}

struct TypeCase {
  PrimitiveType type;
  char letter;
  double tolerance;
};

class Lapack : public ::testing::TestWithParam<TypeCase> {
 protected:
  PrimitiveType type() const { return GetParam().type; }
  bool complex() const { return IsComplexType(type()); }
  double tolerance() const { return GetParam().tolerance; }

  // T and R become the element type and its real one, `op` the whole target.
  Literal Call(const std::string& op, const std::string& result,
               const std::string& operands, const std::string& config,
               const std::vector<Literal>& arguments) {
    const std::string target =
        absl::StrCat("lapack_", std::string(1, GetParam().letter), op, "_ffi");
    return RunOp(
        absl::StrCat(absl::StrReplaceAll(
                         result, {{"T", PrimitiveTypeName(type())},
                                  {"R", PrimitiveTypeName(ComponentType(
                                            type()))}}),
                     " custom-call(", operands, "), custom_call_target=\"",
                     target,
                     "\", api_version=API_VERSION_TYPED_FFI, backend_config={",
                     config, "}"),
        arguments);
  }

  void ExpectNear(const Matrix& got, const Matrix& want) {
    ASSERT_EQ(got.rows, want.rows);
    ASSERT_EQ(got.columns, want.columns);
    for (size_t i = 0; i < want.values.size(); ++i) {
      EXPECT_LT(std::abs(got.values[i] - want.values[i]), tolerance()) << i;
    }
  }

  // Hermitian and positive definite: b^H b + 1.
  Literal Definite(int64_t n) {
    const Literal b = RandomMatrices(type(), n, n, 4);
    std::vector<C> values;
    for (int i = 0; i < 2; ++i) {
      const Matrix m = Take(b, i, n, n);
      Matrix a = Multiply(Adjoint(m), m);
      for (int64_t j = 0; j < n; ++j) a.at(j, j) += 1;
      values.insert(values.end(), a.values.begin(), a.values.end());
    }
    return *ConvertLiteral(Literal::Array<C>({2, n, n}, values), type());
  }
};

INSTANTIATE_TEST_SUITE_P(
    Types, Lapack,
    ::testing::Values(TypeCase{kF32, 's', 2e-5}, TypeCase{kF64, 'd', 1e-12},
                      TypeCase{kC64, 'c', 2e-5}, TypeCase{kC128, 'z', 1e-12}),
    [](const auto& info) {
      return std::string(PrimitiveTypeName(info.param.type));
    });

TEST_P(Lapack, GetrfFactorsWithRowExchanges) {
  const Literal a = RandomMatrices(type(), 4, 3);
  const Literal r =
      Call("getrf", "(T[2,4,3], s32[2,3], s32[2])", "a", "", {a});
  ASSERT_EQ(r.elements().size(), 3u);
  for (int i = 0; i < 2; ++i) {
    const Matrix lu = Take(r.elements()[0], i, 4, 3);
    Matrix l = Keep(lu, [](int64_t i, int64_t j) { return j < i; });
    for (int j = 0; j < 3; ++j) l.at(j, j) = 1;
    Matrix u(3, 3);
    for (int p = 0; p < 3; ++p) {
      for (int q = p; q < 3; ++q) u.at(p, q) = lu.at(p, q);
    }
    Matrix want = Take(a, i, 4, 3);
    for (int j = 0; j < 3; ++j) {
      const int pivot = r.elements()[1].data<int32_t>()[3 * i + j] - 1;
      for (int k = 0; k < 3; ++k) std::swap(want.at(j, k), want.at(pivot, k));
    }
    ExpectNear(Multiply(l, u), want);
    EXPECT_EQ(r.elements()[2].data<int32_t>()[i], 0);
  }
}

TEST_P(Lapack, GeqrfAndOrgqrMakeAnOrthogonalFactor) {
  const Literal a = RandomMatrices(type(), 4, 3);
  const Literal qr = Call("geqrf", "(T[2,4,3], T[2,3])", "a", "", {a});
  ASSERT_EQ(qr.elements().size(), 2u);
  const Literal q =
      Call(complex() ? "ungqr" : "orgqr", "T[2,4,3]", "a, b", "",
           {qr.elements()[0], qr.elements()[1]});
  for (int i = 0; i < 2; ++i) {
    const Matrix packed = Take(qr.elements()[0], i, 4, 3);
    Matrix r(3, 3);
    for (int p = 0; p < 3; ++p) {
      for (int s = p; s < 3; ++s) r.at(p, s) = packed.at(p, s);
    }
    const Matrix m = Take(q, i, 4, 3);
    ExpectNear(Multiply(m, r), Take(a, i, 4, 3));
    ExpectNear(Multiply(Adjoint(m), m), Identity(3));
  }
}

TEST_P(Lapack, OrmqrAppliesTheFactor) {
  const Literal a = RandomMatrices(type(), 3, 3);
  const Literal qr = Call("geqrf", "(T[2,3,3], T[2,3])", "a", "", {a});
  ASSERT_EQ(qr.elements().size(), 2u);
  // q^H a is r.
  const Literal r = Call(complex() ? "unmqr" : "ormqr", "T[2,3,3]", "a, b, c",
                         "left = true, transpose = true",
                         {qr.elements()[0], qr.elements()[1], a});
  for (int i = 0; i < 2; ++i) {
    ExpectNear(Take(r, i, 3, 3), Upper(Take(qr.elements()[0], i, 3, 3)));
  }
}

TEST_P(Lapack, Geqp3ExchangesColumns) {
  const Literal a = RandomMatrices(type(), 3, 3);
  const Literal none = Numbers(kS32, {2, 3}, {0, 0, 0, 0, 0, 0});
  const Literal r =
      Call("geqp3", "(T[2,3,3], s32[2,3], T[2,3])", "a, b", "", {a, none});
  ASSERT_EQ(r.elements().size(), 3u);
  const Literal q =
      Call(complex() ? "ungqr" : "orgqr", "T[2,3,3]", "a, b", "",
           {r.elements()[0], r.elements()[2]});
  for (int i = 0; i < 2; ++i) {
    const Matrix product =
        Multiply(Take(q, i, 3, 3), Upper(Take(r.elements()[0], i, 3, 3)));
    const Matrix source = Take(a, i, 3, 3);
    Matrix want(3, 3);
    for (int j = 0; j < 3; ++j) {
      const int from = r.elements()[1].data<int32_t>()[3 * i + j] - 1;
      for (int k = 0; k < 3; ++k) want.at(k, j) = source.at(k, from);
    }
    ExpectNear(product, want);
  }
}

TEST_P(Lapack, PotrfReplacesOneTriangle) {
  const Literal a = Definite(3);
  const Literal r =
      Call("potrf", "(T[2,3,3], s32[2])", "a", "uplo = 76 : ui8", {a});
  ASSERT_EQ(r.elements().size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const Matrix got = Take(r.elements()[0], i, 3, 3);
    const Matrix l = Keep(got, [](int64_t i, int64_t j) { return j <= i; });
    const Matrix want = Take(a, i, 3, 3);
    ExpectNear(Multiply(l, Adjoint(l)), want);
    EXPECT_EQ(got.at(0, 2), want.at(0, 2));
    EXPECT_EQ(r.elements()[1].data<int32_t>()[i], 0);
  }
  const Literal bad = Call("potrf", "(T[2,2], s32[])", "a", "uplo = 85 : ui8",
                           {Numbers(type(), {2, 2}, {1, 2, 2, 1})});
  EXPECT_EQ(bad.elements()[1].GetAsInt64(0), 2);
}

TEST_P(Lapack, SingularValuesMakeTheMatrixAgain) {
  for (const char* op : {"gesdd", "gesvd"}) {
    const Literal a = RandomMatrices(type(), 4, 3);
    // 'S' and 'A'
    const Literal thin =
        Call(op, "(T[2,4,3], R[2,3], T[2,4,3], T[2,3,3], s32[2])", "a",
             "mode = 83 : ui8", {a});
    const Literal full =
        Call(op, "(T[2,4,3], R[2,3], T[2,4,4], T[2,3,3], s32[2])", "a",
             "mode = 65 : ui8", {a});
    const Literal values =
        Call(op, "(T[2,4,3], R[2,3], T[2,4,4], T[2,3,3], s32[2])", "a",
             "mode = 78 : ui8", {a});
    ASSERT_EQ(thin.elements().size(), 5u);
    ASSERT_EQ(full.elements().size(), 5u);
    ASSERT_EQ(values.elements().size(), 5u);
    for (int i = 0; i < 2; ++i) {
      const Matrix s = Take(thin.elements()[1], i, 3, 1);
      const Matrix u = Take(thin.elements()[2], i, 4, 3);
      const Matrix vt = Take(thin.elements()[3], i, 3, 3);
      ExpectNear(Multiply(Multiply(u, Diagonal(s.values)), vt),
                 Take(a, i, 4, 3));
      const Matrix whole = Take(full.elements()[2], i, 4, 4);
      ExpectNear(Multiply(Adjoint(whole), whole), Identity(4));
      ExpectNear(Take(values.elements()[1], i, 3, 1), s);
    }
  }
}

TEST_P(Lapack, SyevdGivesAscendingEigenvalues) {
  const Literal a = Definite(3);
  for (const char* uplo : {"76", "85"}) {
    const Literal r =
        Call(complex() ? "heevd" : "syevd", "(T[2,3,3], R[2,3], s32[2])", "a",
             absl::StrCat("mode = 86 : ui8, uplo = ", uplo, " : ui8"), {a});
    ASSERT_EQ(r.elements().size(), 3u);
    for (int i = 0; i < 2; ++i) {
      const Matrix v = Take(r.elements()[0], i, 3, 3);
      const Matrix w = Take(r.elements()[1], i, 3, 1);
      EXPECT_LT(w.values[0].real(), w.values[2].real());
      ExpectNear(Multiply(Multiply(v, Diagonal(w.values)), Adjoint(v)),
                 Take(a, i, 3, 3));
    }
  }
}

TEST_P(Lapack, GeevGivesEigenvectorsOfBothSides) {
  const Literal a = RandomMatrices(type(), 3, 3, 2);
  const std::string vectors = PrimitiveTypeName(type()) == "f32"   ? "c64"
                              : PrimitiveTypeName(type()) == "f64" ? "c128"
                                                                   : "T";
  const Literal r = Call(
      "geev",
      absl::StrCat("(T[2,3], ", complex() ? "" : "T[2,3], ", vectors,
                   "[2,3,3], ", vectors, "[2,3,3], s32[2])"),
      "a", "compute_left = 86 : ui8, compute_right = 86 : ui8", {a});
  const size_t at = complex() ? 1 : 2;
  ASSERT_EQ(r.elements().size(), at + 3);
  for (int i = 0; i < 2; ++i) {
    Matrix w = Take(r.elements()[0], i, 3, 1);
    if (!complex()) {
      const Matrix imaginary = Take(r.elements()[1], i, 3, 1);
      for (int j = 0; j < 3; ++j) w.values[j] += C(0, 1) * imaginary.values[j];
    }
    const Matrix m = Take(a, i, 3, 3);
    const Matrix left = Take(r.elements()[at], i, 3, 3);
    const Matrix right = Take(r.elements()[at + 1], i, 3, 3);
    ExpectNear(Multiply(m, right), Multiply(right, Diagonal(w.values)));
    ExpectNear(Multiply(Adjoint(left), m),
               Multiply(Diagonal(w.values), Adjoint(left)));
  }
}

TEST_P(Lapack, GeesGivesASchurForm) {
  const Literal a = RandomMatrices(type(), 3, 3, 2);
  const Literal r = Call(
      "gees",
      absl::StrCat("(T[2,3,3], T[2,3,3], T[2,3], ", complex() ? "" : "T[2,3], ",
                   "s32[2], s32[2])"),
      "a", "mode = 86 : ui8, sort = 78 : ui8", {a});
  ASSERT_EQ(r.elements().size(), complex() ? 5u : 6u);
  for (int i = 0; i < 2; ++i) {
    const Matrix t = Take(r.elements()[0], i, 3, 3);
    const Matrix v = Take(r.elements()[1], i, 3, 3);
    ExpectNear(Multiply(Multiply(v, t), Adjoint(v)), Take(a, i, 3, 3));
    EXPECT_LT(std::abs(t.at(2, 0)), tolerance());
  }
}

TEST_P(Lapack, SytrdKeepsTheEigenvaluesSum) {
  const Literal a = Definite(3);
  const Literal r = Call(complex() ? "hetrd" : "sytrd",
                         "(T[2,3,3], R[2,3], R[2,2], T[2,2], s32[2])", "a",
                         "uplo = 76 : ui8", {a});
  ASSERT_EQ(r.elements().size(), 5u);
  for (int i = 0; i < 2; ++i) {
    const Matrix m = Take(a, i, 3, 3);
    const Matrix d = Take(r.elements()[1], i, 3, 1);
    const Matrix e = Take(r.elements()[2], i, 2, 1);
    // Trace and Frobenius norm do not change.
    double trace = 0, norm = 0, trace_after = 0, norm_after = 0;
    for (int j = 0; j < 3; ++j) {
      trace += m.at(j, j).real();
      trace_after += d.values[j].real();
      norm_after += std::norm(d.values[j]);
      for (int k = 0; k < 3; ++k) norm += std::norm(m.at(j, k));
    }
    for (const C& value : e.values) norm_after += 2 * std::norm(value);
    EXPECT_NEAR(trace, trace_after, 10 * tolerance());
    EXPECT_NEAR(norm, norm_after, 100 * tolerance());
  }
}

TEST_P(Lapack, GehrdMakesAHessenbergMatrix) {
  const Literal a = RandomMatrices(type(), 3, 3);
  const Literal r = Call("gehrd", "(T[2,3,3], T[2,2], s32[2])", "a",
                         "low = 1 : i32, high = 3 : i32", {a});
  ASSERT_EQ(r.elements().size(), 3u);
  for (int i = 0; i < 2; ++i) {
    const Matrix m = Take(a, i, 3, 3), h = Take(r.elements()[0], i, 3, 3);
    C trace = 0, trace_after = 0;
    double norm = 0, norm_after = 0;
    for (int j = 0; j < 3; ++j) {
      trace += m.at(j, j);
      trace_after += h.at(j, j);
      for (int k = 0; k < 3; ++k) {
        norm += std::norm(m.at(j, k));
        if (k + 1 >= j) norm_after += std::norm(h.at(j, k));
      }
    }
    EXPECT_LT(std::abs(trace - trace_after), 10 * tolerance());
    EXPECT_NEAR(norm, norm_after, 100 * tolerance());
  }
}

TEST_P(Lapack, GtsvSolvesTridiagonalSystems) {
  // dl[0] and du[2] do not count. {4 1 0; 1 4 1; 0 1 4} x = b.
  const Literal dl = Vector(type(), {99, 1, 1}), d = Vector(type(), {4, 4, 4});
  const Literal du = Vector(type(), {1, 1, 99});
  const Literal b = Numbers(type(), {3, 1}, {6, 12, 14});
  const Literal r = Call("gtsv", "(T[3], T[3], T[3], T[3,1], s32[])",
                         "a, b, c, d", "", {dl, d, du, b});
  ASSERT_EQ(r.elements().size(), 5u);
  Matrix want(3, 1);
  want.values = {1, 2, 3};
  ExpectNear(Take(r.elements()[3], 0, 3, 1), want);
  EXPECT_EQ(r.elements()[4].GetAsInt64(0), 0);
  EXPECT_EQ(RunOp(absl::StrCat(PrimitiveTypeName(type()),
                               "[3,1] custom-call(a, b, c, d), "
                               "custom_call_target="
                               "\"tridiagonal_solve_perturbed_ffi\""),
                  {dl, d, du, b})
                .element_count(),
            3);
}

TEST_P(Lapack, TrsmSolvesOnBothSides) {
  // {2 0; 3 4}
  const Literal a = Numbers(type(), {2, 2}, {2, 77, 3, 4});
  Matrix want(2, 1);
  want.values = {1, 2};
  const std::string lower = "uplo = 76 : ui8, diag = 78 : ui8, ";
  ExpectNear(Take(Call("trsm", "T[2,1]", "a, b",
                       lower + "side = 76 : ui8, trans_x = 78 : ui8",
                       {a, Numbers(type(), {2, 1}, {2, 11})}),
                  0, 2, 1),
             want);
  ExpectNear(Take(Call("trsm", "T[2,1]", "a, b",
                       lower + "side = 76 : ui8, trans_x = 67 : ui8",
                       {a, Numbers(type(), {2, 1}, {8, 8})}),
                  0, 2, 1),
             want);
  ExpectNear(Take(Call("trsm", "T[1,2]", "a, b",
                       lower + "side = 82 : ui8, trans_x = 84 : ui8",
                       {a, Numbers(type(), {1, 2}, {2, 11})}),
                  0, 2, 1),
             want);
  want.values = {2, 5};
  ExpectNear(Take(Call("trsm", "T[2,1]", "a, b",
                       "uplo = 76 : ui8, diag = 85 : ui8, side = 76 : ui8, "
                       "trans_x = 78 : ui8",
                       {a, Numbers(type(), {2, 1}, {2, 11})}),
                  0, 2, 1),
             want);
}

TEST(LapackCalls, TakeEmptyMatrices) {
  const Literal none = Numbers(kF32, {0, 0}, {});
  EXPECT_EQ(RunOp("(f32[0,0], f32[0]) custom-call(a), custom_call_target="
                  "\"lapack_sgeqrf_ffi\"",
                  {none})
                .elements()
                .size(),
            2u);
  EXPECT_EQ(RunOp("(f32[0,0], f32[0], s32[]) custom-call(a), "
                  "custom_call_target=\"lapack_ssyevd_ffi\"",
                  {none})
                .elements()
                .size(),
            3u);
}

TEST(LapackCalls, RefuseShapesThatDoNotFit) {
  const Literal a = Numbers(kF32, {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* line :
       {"(f32[2,3], s32[]) custom-call(a), "
        "custom_call_target=\"lapack_spotrf_ffi\"",
        "(f32[2,3], s32[3], s32[]) custom-call(a), "
        "custom_call_target=\"lapack_sgetrf_ffi\"",
        "f32[2,3] custom-call(a), custom_call_target=\"lapack_sgeqrf_ffi\"",
        "(f32[2,3], f32[2]) custom-call(a, a), "
        "custom_call_target=\"lapack_sgeqrf_ffi\"",
        "f32[2,3] custom-call(a, a), custom_call_target=\"lapack_sorgqr_ffi\"",
        "f32[2,3] custom-call(a, a, a), "
        "custom_call_target=\"lapack_sormqr_ffi\"",
        "f32[2,3] custom-call(a, a), custom_call_target=\"lapack_strsm_ffi\"",
        "f32[2,3] custom-call(a, a, a, a), "
        "custom_call_target=\"lapack_sgtsv_ffi\""}) {
    EXPECT_FALSE(OpError(line, {a}).ok()) << line;
  }
  EXPECT_FALSE(OpError("(f16[1,1], f16[1]) custom-call(a), "
                       "custom_call_target=\"lapack_sgeqrf_ffi\"",
                       {Numbers(kF16, {1, 1}, {1})})
                   .ok());
}

TEST(LapackCalls, PerturbSingularSystems) {
  // {1 1; 1 1} x = (1, 1) has many solutions; one of them comes out.
  const auto x = Values(
      RunOp("f64[2,1] custom-call(a, b, c, d), "
            "custom_call_target=\"tridiagonal_solve_perturbed_ffi\"",
            {Vector(kF64, {0, 1}), Vector(kF64, {1, 1}), Vector(kF64, {1, 0}),
             Numbers(kF64, {2, 1}, {1, 1})}));
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0] + x[1], 1, 1e-9);
}

TEST(LapackCalls, SolveWithRowExchangesInTridiagonalSystems) {
  // {0 2 0 0; 3 1 1 0; 0 5 0 1; 0 0 1 7} (1,2,3,4) = (4, 8, 14, 31)
  const auto x = Values(
      RunOp("f64[4,1] custom-call(a, b, c, d), "
            "custom_call_target=\"tridiagonal_solve_perturbed_ffi\"",
            {Vector(kF64, {0, 3, 5, 1}), Vector(kF64, {0, 1, 0, 7}),
             Vector(kF64, {2, 1, 1, 0}),
             Numbers(kF64, {4, 1}, {4, 8, 14, 31})}));
  ASSERT_EQ(x.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[i], i + 1, 1e-12);
}

TEST(XlasOwnDecompositions, AreExpandedHere) {
  const Literal a = Numbers(kF64, {2, 2}, {0, 2, 3, 4});
  const Literal lu = RunOp(
      "(f64[2,2], s32[2], s32[2]) custom-call(a), "
      "custom_call_target=\"LuDecomposition\"",
      {a});
  ASSERT_EQ(lu.elements().size(), 3u);
  EXPECT_THAT(Values(lu.elements()[0]), ElementsAre(3, 4, 0, 2));
  EXPECT_THAT(Values(lu.elements()[1]), ElementsAre(1, 1));
  EXPECT_THAT(Values(lu.elements()[2]), ElementsAre(1, 0));

  const Literal eigen = RunOp(
      "(f64[2,2], f64[2]) custom-call(a), custom_call_target=\"Eigh\", "
      "backend_config=\"1,1,100,1e-6\"",
      {Numbers(kF64, {2, 2}, {2, 99, 1, 2})});
  ASSERT_EQ(eigen.elements().size(), 2u);
  EXPECT_NEAR(eigen.elements()[1].GetAsDouble(0), 1, 1e-12);
  EXPECT_NEAR(eigen.elements()[1].GetAsDouble(1), 3, 1e-12);

  const Literal qr = RunOp(
      "(f64[2,2], f64[2]) custom-call(a), custom_call_target=\"Qr\"", {a});
  ASSERT_EQ(qr.elements().size(), 2u);
  const Literal q = RunOp(
      "f64[2,2] custom-call(a, b), "
      "custom_call_target=\"ProductOfElementaryHouseholderReflectors\"",
      {qr.elements()[0], qr.elements()[1]});
  const auto v = Values(q);
  EXPECT_NEAR(v[0] * v[0] + v[2] * v[2], 1, 1e-12);
  EXPECT_NEAR(v[0] * v[1] + v[2] * v[3], 0, 1e-12);
}

}  // namespace
}  // namespace hlokit::interpreter
