#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

std::string Config(absl::string_view fields) {
  return absl::StrCat(", backend_config={\"cudnn_conv_backend_config\":{",
                      "\"conv_result_scale\":1", fields.empty() ? "" : ",",
                      fields, "}}");
}

struct Geometry {
  std::string x, kernel, y, attributes;
};

// Convolutions of several windows, layouts and groups.
std::vector<Geometry> Geometries() {
  return {
      {"f32[2,7,6,3]", "f32[4,3,3,3]", "f32[2,7,6,4]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f"},
      {"f32[2,3,7,6]", "f32[4,3,3,2]", "f32[2,4,4,4]",
       "window={size=3x2 stride=2x2 pad=1_1x2_0}, "
       "dim_labels=bf01_oi01->bf01"},
      {"f32[1,8,9,4]", "f32[3,2,4,5]", "f32[1,7,5,5]",
       "window={size=3x2 stride=1x2 pad=1_2x1_2 rhs_dilate=2x3}, "
       "dim_labels=b01f_01io->b01f"},
      {"f32[2,6,6,4]", "f32[6,3,3,2]", "f32[2,4,4,6]",
       "window={size=3x3}, dim_labels=b01f_o01i->b01f, "
       "feature_group_count=2"},
      {"f32[2,4,6,6]", "f32[4,1,3,3]", "f32[2,4,3,3]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1}, "
       "dim_labels=bf01_oi01->bf01, feature_group_count=4"},
      {"f32[2,5,3]", "f32[2,3,4]", "f32[2,4,4]",
       "window={size=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f"},
  };
}

std::string Sum(absl::string_view name, absl::string_view shape,
                absl::string_view left, absl::string_view right) {
  std::string dims;
  const int64_t rank =
      std::count(shape.begin(), shape.end(), ',') + 1;
  for (int64_t i = 0; i < rank; ++i) {
    absl::StrAppend(&dims, i == 0 ? "" : ",", i);
  }
  return absl::StrCat(name, ".p = ", shape, " multiply(", left, ", ", right,
                      ")\n", name, " = f32[] reduce(", name,
                      ".p, zero), dimensions={", dims, "}, to_apply=add\n");
}

std::string WithAdd(absl::string_view body) {
  return absl::StrCat(
      "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT r = f32[] add(a, b)\n}\nENTRY e {\n",
      body, "}\n");
}

TEST(ConvolutionCall, ComputesTheForwardConvolution) {
  for (const Geometry& g : Geometries()) {
    const std::string in = Parameters({g.x, g.kernel});
    ExpectSameAsPlain(
        absl::StrCat(in, "t = (", g.y, ", u8[0]) custom-call(a, b), ",
                     g.attributes,
                     ", custom_call_target=\"__cudnn$convForward\"",
                     Config("\"activation_mode\":\"kNone\","
                            "\"side_input_scale\":0,\"leakyrelu_alpha\":0,"
                            "\"algorithm\":{\"algo_id\":\"28\"}"),
                     "\nROOT r = ", g.y, " get-tuple-element(t), index=0\n"),
        absl::StrCat(in, "ROOT r = ", g.y, " convolution(a, b), ",
                     g.attributes, "\n"));
  }
}

// The sum of dy * convolution(x, kernel) is linear in both arguments: with
// their gradients it is the sum of x * dx and of kernel * dkernel.
TEST(ConvolutionCall, ComputesBothGradients) {
  for (const Geometry& g : Geometries()) {
    const std::string in = absl::StrCat(Parameters({g.x, g.kernel, g.y}),
                                        "zero = f32[] constant(0)\n");
    const std::string plain =
        absl::StrCat(in, "y = ", g.y, " convolution(a, b), ", g.attributes,
                     "\n", Sum("s", g.y, "y", "c"),
                     "ROOT r = (f32[], f32[]) tuple(s, s)\n");
    const std::string call =
        absl::StrCat(in, "t = (", g.x, ", u8[8]) custom-call(c, b), ",
                     g.attributes,
                     ", custom_call_target=\"__cudnn$convBackwardInput\"",
                     Config(""), "\ndx = ", g.x,
                     " get-tuple-element(t), index=0\n", "u = (", g.kernel,
                     ", u8[8]) custom-call(a, c), ", g.attributes,
                     ", custom_call_target=\"__cudnn$convBackwardFilter\"",
                     Config(""), "\ndk = ", g.kernel,
                     " get-tuple-element(u), index=0\n",
                     Sum("s", g.x, "a", "dx"), Sum("v", g.kernel, "b", "dk"),
                     "ROOT r = (f32[], f32[]) tuple(s, v)\n");
    ExpectSameAsPlain(WithAdd(call), WithAdd(plain), 1e-4);
  }
}

TEST(ConvolutionCall, AppliesScalesBiasSideInputAndActivations) {
  const std::string in =
      Parameters({"f32[1,4,4,2]", "f32[3,3,3,2]", "f32[3]", "f32[1,4,4,3]"});
  const std::string attributes =
      "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f";
  const std::string type = "f32[1,4,4,3]";
  const std::string before = absl::StrCat(
      in, "y = ", type, " convolution(a, b), ", attributes, "\n",
      "k = f32[] constant(0.5)\nkk = ", type, " broadcast(k), dimensions={}\n",
      "m = f32[] constant(2)\nmm = ", type, " broadcast(m), dimensions={}\n",
      "z = f32[] constant(0)\nzz = ", type, " broadcast(z), dimensions={}\n",
      "six = f32[] constant(6)\nq = f32[] constant(0.25)\nqq = ", type,
      " broadcast(q), dimensions={}\n", "y2 = ", type, " multiply(y, kk)\n",
      "v2 = ", type, " multiply(d, mm)\nbb = ", type,
      " broadcast(c), dimensions={3}\ny3 = ", type, " add(y2, v2)\nx = ", type,
      " add(y3, bb)\npos = pred[1,4,4,3] compare(x, zz), direction=GT\n");
  const struct {
    const char* mode;
    std::string plain;
  } kCases[] = {
      {"\"kNone\"", "copy(x)"},
      {"\"kRelu\"", "maximum(x, zz)"},
      {"\"2\"", "maximum(x, zz)"},
      {"\"kRelu6\"", "clamp(z, x, six)"},
      {"\"kTanh\"", "tanh(x)"},
      {"\"kSigmoid\"", "logistic(x)"},
      {"\"kElu\"", "select(pos, x, em)"},
      {"\"kLeakyRelu\"", "select(pos, x, lx)"},
  };
  for (const auto& c : kCases) {
    ExpectSameAsPlain(
        absl::StrCat(
            in, "t = (", type, ", u8[16]) custom-call(a, b, c, d), ",
            attributes,
            ", custom_call_target=\"__cudnn$convBiasActivationForward\", "
            "backend_config={\"cudnn_conv_backend_config\":{"
            "\"conv_result_scale\":0.5,\"side_input_scale\":2,"
            "\"leakyrelu_alpha\":0.25,\"activation_mode\":",
            c.mode, "}}\nROOT r = ", type,
            " get-tuple-element(t), index=0\n"),
        absl::StrCat(before, "em = ", type,
                     " exponential-minus-one(x)\nlx = ", type,
                     " multiply(x, qq)\nROOT r = ", type, " ", c.plain, "\n"));
  }
}

TEST(ConvolutionCall, SaturatesBytes) {
  // 100 * 2 * 1.0 + 0.5: past 127; -100 * 2: below -128; 3 * 2 + 0.5 to even.
  const std::string text = absl::StrCat(
      Parameters({"s8[1,1,3,1]", "s8[1,1,1,1]", "f32[1]"}),
      "t = (s8[1,1,3,1], u8[8]) custom-call(a, b, c), window={size=1x1}, "
      "dim_labels=b01f_o01i->b01f, "
      "custom_call_target=\"__cudnn$convBiasActivationForward\"",
      Config("\"activation_mode\":\"kNone\""),
      "\nROOT r = s8[1,1,3,1] get-tuple-element(t), index=0\n");
  ExpectValues(text,
               {Literal::Array<int8_t>({1, 1, 3, 1}, {100, -100, 3}),
                Literal::Array<int8_t>({1, 1, 1, 1}, {2}),
                Literal::Array<float>({1}, {0.5})},
               {127, -128, 6});
}

TEST(ConvolutionCall, RunsGraphs) {
  const std::string in =
      Parameters({"f32[1,4,4,2]", "f32[3,3,3,2]", "f32[]", "f32[1,4,4,3]"});
  const std::string type = "f32[1,4,4,3]";
  const std::string attributes =
      "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f";
  ExpectSameAsPlain(
      absl::StrCat(
          in, "t = (", type, ", f32[], u8[8]) custom-call(a, b, c, d), ",
          attributes, ", custom_call_target=\"__cudnn$convForwardGraph\"",
          Config("\"serialized_graph\":\"7:[f32]conv();9:[f32]scale(7);"
                 "11:[f32]add(9);12:[f32]relu(11);13:[f32]amax(12);\""),
          "\ng = ", type, " get-tuple-element(t), index=0\n",
          "h = f32[] get-tuple-element(t), index=1\nROOT r = (", type,
          ", f32[]) tuple(g, h)\n"),
      absl::StrReplaceAll(
          WithAdd(absl::StrCat(
              in, "y = ", type, " convolution(a, b), ", attributes, "\n",
              "cc = ", type, " broadcast(c), dimensions={}\ny2 = ", type,
              " multiply(y, cc)\ny3 = ", type, " add(y2, d)\n",
              "zero = f32[] constant(0)\nzz = ", type,
              " broadcast(zero), dimensions={}\ny4 = ", type,
              " maximum(y3, zz)\nm = f32[] reduce(y4, zero), "
              "dimensions={0,1,2,3}, to_apply=add\nROOT r = (",
              type, ", f32[]) tuple(y4, m)\n")),
          {{"ROOT r = f32[] add(", "ROOT r = f32[] maximum("}}));
}

}  // namespace
}  // namespace hlokit
