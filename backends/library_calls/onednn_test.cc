#include "absl/strings/str_cat.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

std::string MatMul(absl::string_view operands, absl::string_view ops,
                   absl::string_view fields = "") {
  return absl::StrCat(
      "ROOT r = f32[3,5] custom-call(", operands,
      "), custom_call_target=\"__onednn$matmul\", backend_config={"
      "\"outer_dimension_partitions\":[],\"onednn_matmul_config\":{"
      "\"fusions\":{\"ops\":[",
      ops, "]", fields,
      "},\"optimization_config\":{\"weights_prepacked\":false,"
      "\"user_scratchpad\":false,\"bias_broadcast\":true}}}\n");
}

TEST(OneDnnCall, FusesOperationsIntoProducts) {
  const std::string in =
      Parameters({"f32[3,4]", "f32[4,5]", "f32[5]", "f32[3,5]"});
  const std::string dot =
      "x = f32[3,5] dot(a, b), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n";
  const std::string bias =
      "cc = f32[3,5] broadcast(c), dimensions={1}\n"
      "y = f32[3,5] add(x, cc)\n";
  const std::string numbers =
      "z = f32[] constant(0)\nzz = f32[3,5] broadcast(z), dimensions={}\n"
      "six = f32[] constant(6)\nk = f32[] constant(0.25)\n"
      "kk = f32[3,5] broadcast(k), dimensions={}\none = f32[] constant(1)\n"
      "ones = f32[3,5] broadcast(one), dimensions={}\n"
      "hf = f32[] constant(0.5)\nhalf = f32[3,5] broadcast(hf), "
      "dimensions={}\nrt = f32[] constant(0.70710678)\n"
      "rr = f32[3,5] broadcast(rt), dimensions={}\n"
      "pos = pred[3,5] compare(y, zz), direction=GT\n"
      "em = f32[3,5] exponential-minus-one(y)\ns = f32[3,5] logistic(y)\n"
      "ry = f32[3,5] multiply(y, rr)\ner = f32[3,5] erf(ry)\n"
      "e1 = f32[3,5] add(er, ones)\nhy = f32[3,5] multiply(y, half)\n";
  const struct {
    const char* ops;
    const char* fields;
    const char* plain;
  } kCases[] = {
      {"\"BIAS\"", "", "add(y, zz)"},
      {"\"BIAS\",\"RELU\"", ",\"alpha_typecast\":0", "maximum(y, zz)"},
      {"\"BIAS\",\"TANH\"", "", "tanh(y)"},
      {"\"BIAS\",\"RELU6\"", "", "clamp(z, y, six)"},
      {"\"BIAS\",\"ELU\"", "", "select(pos, y, em)"},
      {"\"BIAS\",\"SIGMOID\"", "", "logistic(y)"},
      {"\"BIAS\",\"SWISH\"", "", "multiply(y, s)"},
      {"\"BIAS\",\"GELU_ERF\"", "", "multiply(hy, e1)"},
      {"\"BIAS\",\"LINEAR\"", ",\"alpha\":[0.25]", "multiply(y, kk)"},
      // The bits of 0.25.
      {"\"BIAS\",\"LINEAR\"", ",\"alpha_typecast\":1048576000",
       "multiply(y, kk)"},
  };
  for (const auto& c : kCases) {
    ExpectSameAsPlain(
        absl::StrCat(in, MatMul("a, b, c", c.ops, c.fields)),
        absl::StrCat(in, dot, bias, numbers, "ROOT r = f32[3,5] ", c.plain,
                     "\n"));
  }
  ExpectSameAsPlain(
      absl::StrCat(in, MatMul("a, b, c, d", "\"BIAS\",\"BINARY_ADD\"")),
      absl::StrCat(in, dot, bias, "ROOT r = f32[3,5] add(y, d)\n"));
  ExpectSameAsPlain(
      absl::StrCat(in, MatMul("a, b, d", "\"SUM\"")),
      absl::StrCat(in, dot, "ROOT r = f32[3,5] add(x, d)\n"));
}

TEST(OneDnnCall, Convolves) {
  const std::string in =
      Parameters({"f32[1,6,5,4]", "f32[3,2,2,6]", "f32[6]"});
  const std::string plain = absl::StrCat(
      in,
      "x = f32[1,3,4,6] convolution(a, b), window={size=3x2 stride=2x1 "
      "pad=1_1x0_1 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f, "
      "feature_group_count=2\ncc = f32[1,3,4,6] broadcast(c), dimensions={3}\n"
      "ROOT r = f32[1,3,4,6] add(x, cc)\n");
  // Stored one larger, as newer versions do, and as they are.
  for (const int more : {1, 0}) {
    const auto list = [&](int first, int second) {
      return absl::StrCat("[\"", first + more, "\",\"", second + more, "\"]");
    };
    ExpectSameAsPlain(
        absl::StrCat(
            in,
            "ROOT r = f32[1,3,4,6] custom-call(a, b, c), "
            "custom_call_target=\"__onednn$convolution\", backend_config={"
            "\"onednn_conv_config\":{\"dims\":\"4\",\"input\":{\"dims\":\"4\","
            "\"data\":{\"batch_dim\":\"0\",\"feature_dim\":\"3\","
            "\"spatial_dims\":",
            list(1, 2),
            "}},\"kernel\":{\"dims\":\"4\",\"filter\":{\"input_feature_dim\":"
            "\"2\",\"output_feature_dim\":\"3\",\"spatial_dims\":",
            list(0, 1),
            ",\"shape\":[\"3\",\"2\",\"2\",\"6\"]}},\"output\":{\"dims\":"
            "\"4\",\"data\":{\"batch_dim\":\"0\",\"feature_dim\":\"3\","
            "\"spatial_dims\":",
            list(1, 2), "}},\"window\":{\"size\":[],\"pad_left\":", list(1, 0),
            ",\"pad_right\":", list(1, 1), ",\"strides\":", list(2, 1),
            ",\"window_dilations\":", list(1, 2),
            "},\"fusions\":{\"ops\":[\"BIAS\"]},\"feature_groups\":\"2\"}}\n"),
        plain);
  }
}

}  // namespace
}  // namespace hlokit
