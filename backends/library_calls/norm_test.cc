#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

std::string Norm(absl::string_view result, absl::string_view operands,
                 absl::string_view kind) {
  return absl::StrCat(result, " custom-call(", operands,
                      "), custom_call_target=\"__cudnn$norm\", "
                      "backend_config={\"cudnn_norm_backend_config\":{"
                      "\"epsilon\":1,\"algorithm\":{\"algo_id\":\"0\"},"
                      "\"kind\":\"",
                      kind, "\"}}\n");
}

// Rows (1, 3) and (0, 4), epsilon 1: means 2, variances 1 and 4.
TEST(NormCall, NormalizesWhereThereIsAScale) {
  const std::string in = Parameters({"f32[2,2,1,1]", "f32[1,2,1,1]",
                                     "f32[1,2,1,1]"});
  const std::vector<Literal> arguments = {
      Literal::Array<float>({2, 2, 1, 1}, {1, 3, 0, 4}),
      Literal::Array<float>({1, 2, 1, 1}, {1, 10}),
      Literal::Array<float>({1, 2, 1, 1}, {0, 100})};
  const double a = 1 / std::sqrt(2.0), b = 1 / std::sqrt(5.0);
  ExpectValues(
      absl::StrCat(in, "t = ",
                   Norm("(f32[2,2,1,1], u8[8])", "a, b, c", "LAYER_FWD_INFER"),
                   "ROOT r = f32[2,2,1,1] get-tuple-element(t), index=0\n"),
      arguments, {-a, 10 * a + 100, -2 * b, 20 * b + 100}, 1e-4);
  const std::string train = absl::StrCat(
      in, "t = ",
      Norm("(f32[2,2,1,1], f32[2,1,1,1], f32[2,1,1,1], u8[8])", "a, b, c",
           "LAYER_FWD_TRAIN"));
  ExpectValues(
      absl::StrCat(train,
                   "ROOT r = f32[2,1,1,1] get-tuple-element(t), index=1\n"),
      arguments, {2, 2});
  ExpectValues(
      absl::StrCat(train,
                   "ROOT r = f32[2,1,1,1] get-tuple-element(t), index=2\n"),
      arguments, {a, b});
}

// The gradients against a difference of forward values along one direction.
TEST(NormCall, ComputesGradients) {
  const std::string x = "f64[3,5]", s = "f64[1,5]", m = "f64[3,1]";
  const std::string add =
      "HloModule m\nadd {\n a = f64[] parameter(0)\n b = f64[] parameter(1)\n"
      " ROOT r = f64[] add(a, b)\n}\nENTRY e {\n";
  // x, scale, bias, dy, directions of x, scale and bias.
  const std::string in = absl::StrCat(
      add, Parameters({x, s, s, x, x, s, s}), "zero = f64[] constant(0)\n");
  std::string difference = absl::StrCat(
      in, "h = f64[] constant(1e-5)\n",
      Displaced({{x, "a", "e"}, {s, "b", "f"}, {s, "c", "g"}}, "h"));
  for (const std::string side : {"up", "down"}) {
    absl::StrAppend(
        &difference, side, ".t = ",
        Norm("(f64[3,5], u8[8])",
             absl::StrCat(side, "a, ", side, "b, ", side, "c"),
             "LAYER_FWD_INFER"),
        side, ".y = ", x, " get-tuple-element(", side, ".t), index=0\n",
        ScalarProduct(side, x, absl::StrCat(side, ".y"), "d"));
  }
  absl::StrAppend(&difference,
                  "q = f64[] subtract(up, down)\ntwo = f64[] constant(2e-5)\n"
                  "ROOT r = f64[] divide(q, two)\n}\n");
  const std::string gradients = absl::StrCat(
      in, "t = ",
      Norm(absl::StrCat("(", x, ", ", m, ", ", m, ", u8[8])"), "a, b, c",
           "LAYER_FWD_TRAIN"),
      "mean = ", m, " get-tuple-element(t), index=1\nfactor = ", m,
      " get-tuple-element(t), index=2\nu = ",
      Norm(absl::StrCat("(", x, ", ", s, ", ", s, ", u8[8])"),
           "a, b, d, mean, factor", "LAYER_BWD"),
      "dx = ", x, " get-tuple-element(u), index=0\nds = ", s,
      " get-tuple-element(u), index=1\ndb = ", s,
      " get-tuple-element(u), index=2\n", ScalarProduct("v1", x, "dx", "e"),
      ScalarProduct("v2", s, "ds", "f"), ScalarProduct("v3", s, "db", "g"),
      "v4 = f64[] add(v1, v2)\nROOT r = f64[] add(v4, v3)\n}\n");
  ExpectSameAsPlain(gradients, difference, 1e-6);
}

}  // namespace
}  // namespace hlokit
