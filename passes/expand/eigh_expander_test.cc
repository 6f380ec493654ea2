#include "passes/expand/eigh_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// Vectors have free signs: shows A V - V diag(w), w and V^H V instead. `scale`
// makes A, which is p with another triangle that does not count.
std::string Module(absl::string_view type, absl::string_view batch, int n,
                   absl::string_view config, bool lower = true) {
  const std::string sizes = absl::StrCat("[", batch, n, ",", n, "]");
  const std::string a = absl::StrCat(type, sizes);
  const std::string real = type == "c64" ? "f32" : type == "c128"
                               ? "f64" : std::string(type);
  const std::string w = absl::StrCat(real, "[", batch, n, "]");
  const int rank = batch.empty() ? 2 : 3;
  const std::string order = batch.empty() ? "{1,0}" : "{0,2,1}";
  const std::string batches =
      batch.empty() ? "" : "lhs_batch_dims={0}, rhs_batch_dims={0}, ";
  const std::string column_dims = batch.empty() ? "{1}" : "{0,2}";
  const bool complex = type[0] == 'c';
  const auto conjugate = [&](absl::string_view name, absl::string_view of) {
    if (!complex) {
      return absl::StrCat(" ", name, " = ", a, " copy(", of, ")\n");
    }
    return absl::StrCat(" ", name, "r = ", real, sizes, " real(", of, ")\n ",
                        name, "i = ", real, sizes, " imag(", of, ")\n ", name,
                        "n = ", real, sizes, " negate(", name, "i)\n ", name,
                        " = ", a, " complex(", name, "r, ", name, "n)\n");
  };
  std::string text = absl::StrCat("ENTRY e {\n p = ", a, " parameter(0)\n");
  absl::StrAppend(&text, " pt = ", a, " transpose(p), dimensions=", order,
                  "\n", conjugate("ph", "pt"));
  absl::StrAppend(&text, " h = ", a, " add(p, ph)\n i = s32", sizes,
                  " iota(), iota_dimension=", rank - 2, "\n j = s32", sizes,
                  " iota(), iota_dimension=", rank - 1, "\n o = pred", sizes,
                  " compare(i, j), direction=", lower ? "LT" : "GT",
                  "\n q = ", a, " select(o, p, h)\n");
  absl::StrAppend(&text, " e = (", a, ", ", w,
                  ") custom-call(q), custom_call_target=\"Eigh\", "
                  "backend_config=\"", config, "\"\n v = ", a,
                  " get-tuple-element(e), index=0\n w = ", w,
                  " get-tuple-element(e), index=1\n");
  absl::StrAppend(&text, " av = ", a, " dot(h, v), ", batches,
                  "lhs_contracting_dims={", rank - 1,
                  "}, rhs_contracting_dims={", rank - 2, "}\n wb = ", real,
                  sizes, " broadcast(w), dimensions=", column_dims, "\n wc = ",
                  a, " convert(wb)\n vw = ", a, " multiply(v, wc)\n z = ", a,
                  " subtract(av, vw)\n", conjugate("vh", "v"), " u = ", a,
                  " dot(vh, v), ", batches, "lhs_contracting_dims={", rank - 2,
                  "}, rhs_contracting_dims={", rank - 2, "}\n ROOT r = (", a,
                  ", ", w, ", ", a, ") tuple(z, w, u)\n}");
  return text;
}

TEST(EighExpanderTest, FindsEigenvaluesAndVectors) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    for (const int n : {1, 2, 3, 4, 7, 10}) {
      SCOPED_TRACE(absl::StrCat(type, " ", n));
      const bool wide = absl::string_view(type) == "f64" ||
                        absl::string_view(type) == "c128";
      auto module = TransformedBy<EighExpander>(
          Module(type, "2,", n, wide ? "1,1,100,1e-12" : "1,1,100,1e-6"),
          wide ? 1e-8 : 5e-3);
      EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 0);
    }
  }
}

TEST(EighExpanderTest, TakesTheOtherTriangleAndLargerMatrices) {
  TransformedBy<EighExpander>(Module("f64", "", 5, "0,1,100,1e-12", false),
                              1e-8);
  TransformedBy<EighExpander>(Module("f64", "", 33, "1,1,100,1e-12"), 1e-7);
  TransformedBy<EighExpander>(Module("f64", "0,", 3, "1,1,100,1e-12"), 1e-7);
}

TEST(EighExpanderTest, EndsWithDiagonalZeroAndEqualValues) {
  TransformedBy<EighExpander>(R"(
ENTRY e {
  p = f64[3,4,4] constant({
    {{3,0,0,0},{0,1,0,0},{0,0,2,0},{0,0,0,-1}},
    {{0,0,0,0},{0,0,0,0},{0,0,0,0},{0,0,0,0}},
    {{1,1,1,1},{1,1,1,1},{1,1,1,1},{1,1,1,1}}})
  e = (f64[3,4,4], f64[3,4]) custom-call(p), custom_call_target="Eigh",
    backend_config="1,1,100,1e-12"
  ROOT w = f64[3,4] get-tuple-element(e), index=1
})", 1e-9);
}

TEST(EighExpanderTest, EndsWithNaN) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[2,2] constant({{nan, 1}, {1, 2}})
  ROOT e = (f32[2,2], f32[2]) custom-call(p), custom_call_target="Eigh",
    backend_config="1,1,100,1e-6"
})");
  EighExpander pass;
  RunPass(&pass, module.get(), true);
  EXPECT_TRUE(ExecuteModule(*module, {}, 100000).ok());
}

TEST(EighExpanderTest, LeavesOtherCallsAlone) {
  ExpectUnchangedBy<EighExpander>(R"(
ENTRY e {
  p = f32[3,3] parameter(0)
  ROOT r = (f32[3,3], f32[3]) custom-call(p), custom_call_target="Qr"
})");
}

}  // namespace
}  // namespace hlokit
