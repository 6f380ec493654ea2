#include "absl/strings/str_cat.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

// [batch, length, heads, size] for Q, K and V, as JAX has them.
std::string Attention(absl::string_view result, absl::string_view operands,
                      absl::string_view target, absl::string_view fields) {
  return absl::StrCat(
      result, " custom-call(", operands, "), custom_call_target=\"__cudnn$",
      target,
      "\", backend_config={\"cudnn_fmha_backend_config\":{\"fmha_scale\":0.5,"
      "\"dropout_rate\":0,\"bmm1_dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"3\"],"
      "\"rhs_contracting_dimensions\":[\"3\"],"
      "\"lhs_batch_dimensions\":[\"0\",\"2\"],"
      "\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
      "\"bmm2_dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"3\"],"
      "\"rhs_contracting_dimensions\":[\"1\"],"
      "\"lhs_batch_dimensions\":[\"0\",\"1\"],"
      "\"rhs_batch_dimensions\":[\"0\",\"2\"]},"
      "\"intermediate_tensor_shape\":{\"element_type\":\"F32\","
      "\"dimensions\":[\"2\",\"3\",\"4\",\"5\"]},\"seed\":\"42\","
      "\"is_flash_attention\":true",
      fields, "}}\n");
}

// [b, t, n, h] = [2,4,3,6], [b, s, n, h] = [2,5,3,6]
std::string Softmax(absl::string_view type, absl::string_view change) {
  const auto f = [&](absl::string_view sizes) {
    return absl::StrCat(type, "[", sizes, "]");
  };
  return absl::StrCat(
      "s0 = ", f("2,3,4,5"),
      " dot(a, b), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, "
      "lhs_contracting_dims={3}, rhs_contracting_dims={3}\nhalf = ",
      type, "[] constant(0.5)\nhh = ", f("2,3,4,5"),
      " broadcast(half), dimensions={}\nv1 = ", f("2,3,4,5"),
      " multiply(s0, hh)\nrow = s32[2,3,4,5] iota(), iota_dimension=2\n"
      "column = s32[2,3,4,5] iota(), iota_dimension=3\nno = ",
      type, "[] constant(-inf)\nnone = ", f("2,3,4,5"),
      " broadcast(no), dimensions={}\n", change, "low = ", type,
      "[] constant(-inf)\nzero = ", type, "[] constant(0)\nm = ", f("2,3,4"),
      " reduce(s, low), dimensions={3}, to_apply=max\nmm = ", f("2,3,4,5"),
      " broadcast(m), dimensions={0,1,2}\nd0 = ", f("2,3,4,5"),
      " subtract(s, mm)\np0 = ", f("2,3,4,5"), " exponential(d0)\nsum = ",
      f("2,3,4"), " reduce(p0, zero), dimensions={3}, to_apply=add\nss = ",
      f("2,3,4,5"), " broadcast(sum), dimensions={0,1,2}\np = ", f("2,3,4,5"),
      " divide(p0, ss)\no = ", f("2,3,4,6"),
      " dot(p, c), lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, "
      "lhs_contracting_dims={3}, rhs_contracting_dims={1}\n");
}

std::string Module(absl::string_view type, absl::string_view body) {
  std::string text = "HloModule m\n";
  for (const auto& [name, op] :
       {std::pair("add", "add"), std::pair("max", "maximum")}) {
    absl::StrAppend(&text, name, " {\n x = ", type, "[] parameter(0)\n y = ",
                    type, "[] parameter(1)\n ROOT r = ", type, "[] ", op,
                    "(x, y)\n}\n");
  }
  return absl::StrCat(text, "ENTRY e {\n", body, "}\n");
}

TEST(AttentionCall, MasksAndAddsABias) {
  const std::string in = Parameters(
      {"f32[2,4,3,6]", "f32[2,5,3,6]", "f32[2,5,3,6]", "f32[1,3,4,5]"});
  const std::string result = "ROOT r = (f32[2,3,4,6]{3,1,2,0}, u8[8])";
  const std::string root =
      "zb = u8[] constant(0)\nw = u8[8] broadcast(zb), dimensions={}\n"
      "ROOT r = (f32[2,3,4,6], u8[8]) tuple(o, w)\n";
  const struct {
    const char* target;
    const char* operands;
    const char* fields;
    const char* change;
  } kCases[] = {
      {"fmhaSoftmax", "a, b, c", ",\"mask_type\":\"NO_MASK\"",
       "s = f32[2,3,4,5] copy(v1)\n"},
      {"fmhaSoftmaxDropout", "a, b, c", "", "s = f32[2,3,4,5] copy(v1)\n"},
      {"fmhaSoftmax", "a, b, c", ",\"mask_type\":\"CAUSAL\"",
       "k = pred[2,3,4,5] compare(column, row), direction=LE\n"
       "s = f32[2,3,4,5] select(k, v1, none)\n"},
      {"fmhaSoftmax", "a, b, c",
       ",\"mask_type\":\"CAUSAL\",\"sliding_window_length\":2",
       "k = pred[2,3,4,5] compare(column, row), direction=LE\n"
       "one = s32[] constant(2)\nones = s32[2,3,4,5] broadcast(one), "
       "dimensions={}\nc2 = s32[2,3,4,5] add(column, ones)\n"
       "k2 = pred[2,3,4,5] compare(c2, row), direction=GT\n"
       "k3 = pred[2,3,4,5] and(k, k2)\n"
       "s = f32[2,3,4,5] select(k3, v1, none)\n"},
      {"fmhaScaleBiasSoftmax", "a, b, c, d", "",
       "d1 = f32[3,4,5] reshape(d)\n"
       "dd = f32[2,3,4,5] broadcast(d1), dimensions={1,2,3}\n"
       "s = f32[2,3,4,5] add(v1, dd)\n"},
  };
  for (const auto& c : kCases) {
    ExpectSameAsPlain(
        absl::StrCat(in, Attention(result, c.operands, c.target, c.fields)),
        Module("f32", absl::StrCat(in, Softmax("f32", c.change), root)));
  }
}

TEST(AttentionCall, PadsSequencesAndGivesStatistics) {
  const std::string in =
      Parameters({"f32[2,4,3,6]", "f32[2,5,3,6]", "f32[2,5,3,6]"});
  const std::string lengths =
      "ql = s32[2] constant({4, 2})\nkl = s32[2] constant({3, 5})\n";
  ExpectSameAsPlain(
      absl::StrCat(in, lengths,
                   Attention("ROOT r = (f32[2,3,4,6], f32[2,3,4])",
                             "a, b, c, ql, kl", "fmhaSoftmax",
                             ",\"mask_type\":\"PADDING\"")),
      Module("f32",
             absl::StrCat(
                 in, lengths,
                 Softmax("f32",
                         "kb = s32[2,3,4,5] broadcast(kl), dimensions={0}\n"
                         "k = pred[2,3,4,5] compare(column, kb), "
                         "direction=LT\n"
                         "s = f32[2,3,4,5] select(k, v1, none)\n"),
                 "qb = s32[2,3,4,6] broadcast(ql), dimensions={0}\n"
                 "qrow = s32[2,3,4,6] iota(), iota_dimension=2\n"
                 "live = pred[2,3,4,6] compare(qrow, qb), direction=LT\n"
                 "oz = f32[2,3,4,6] broadcast(zero), dimensions={}\n"
                 "o2 = f32[2,3,4,6] select(live, o, oz)\n"
                 "l0 = f32[2,3,4] log(sum)\nl1 = f32[2,3,4] add(l0, m)\n"
                 "ROOT r = (f32[2,3,4,6], f32[2,3,4]) tuple(o2, l1)\n")));
}

// Gradients against a difference of forward values along one direction; K and
// V have one head for two of Q.
TEST(AttentionCall, ComputesGradients) {
  const std::string q = "f64[1,3,2,4]", kv = "f64[1,5,1,4]",
                    o = "f64[1,2,3,4]", bias = "f64[1,1,3,5]";
  // Q, K, V, bias, their directions, dO.
  const std::string in =
      absl::StrCat(Parameters({q, kv, kv, bias, q, kv, kv, bias, o}),
                   "zero = f64[] constant(0)\n");
  std::string difference = absl::StrCat(
      in, "step = f64[] constant(1e-5)\n",
      Displaced({{q, "a", "e"}, {kv, "b", "f"}, {kv, "c", "g"},
                 {bias, "d", "h"}},
                "step"));
  for (const std::string side : {"up", "down"}) {
    absl::StrAppend(
        &difference, side, ".t = ",
        Attention(absl::StrCat("(", o, ", u8[8])"),
                  absl::StrCat(side, "a, ", side, "b, ", side, "c, ", side,
                               "d"),
                  "fmhaScaleBiasSoftmax", ",\"mask_type\":\"CAUSAL\""),
        side, ".y = ", o, " get-tuple-element(", side, ".t), index=0\n",
        ScalarProduct(side, o, absl::StrCat(side, ".y"), "i"));
  }
  absl::StrAppend(&difference,
                  "u = f64[] subtract(up, down)\ntwo = f64[] constant(2e-5)\n"
                  "ROOT r = f64[] divide(u, two)\n");
  const std::string gradients = absl::StrCat(
      in, "t = ",
      Attention(absl::StrCat("(", o, ", f64[1,2,3], u8[8])"), "a, b, c, d",
                "fmhaScaleBiasSoftmax", ",\"mask_type\":\"CAUSAL\""),
      "y = ", o, " get-tuple-element(t), index=0\n",
      "stats = f64[1,2,3] get-tuple-element(t), index=1\nu = ",
      Attention("(f64[1,2,3,4], f64[1,1,5,4], f64[1,1,5,4], f64[1,1,3,5], "
                "u8[8])",
                "a, b, c, stats, i, d, y", "fmhaScaleBiasSoftmaxBackward",
                ",\"mask_type\":\"CAUSAL\""),
      "dq0 = f64[1,2,3,4] get-tuple-element(u), index=0\n",
      "dk0 = f64[1,1,5,4] get-tuple-element(u), index=1\n",
      "dv0 = f64[1,1,5,4] get-tuple-element(u), index=2\n",
      "db = f64[1,1,3,5] get-tuple-element(u), index=3\n",
      "dq = ", q, " transpose(dq0), dimensions={0,2,1,3}\n", "dk = ", kv,
      " transpose(dk0), dimensions={0,2,1,3}\n", "dv = ", kv,
      " transpose(dv0), dimensions={0,2,1,3}\n", ScalarProduct("v1", q, "dq", "e"),
      ScalarProduct("v2", kv, "dk", "f"), ScalarProduct("v3", kv, "dv", "g"),
      ScalarProduct("v4", bias, "db", "h"),
      "v5 = f64[] add(v1, v2)\nv6 = f64[] add(v3, v4)\n"
      "ROOT r = f64[] add(v5, v6)\n");
  ExpectSameAsPlain(Module("f64", gradients), Module("f64", difference), 1e-6);
}

}  // namespace
}  // namespace hlokit
