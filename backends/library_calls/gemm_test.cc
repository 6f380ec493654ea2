#include "absl/strings/str_cat.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

constexpr absl::string_view kPlainDims =
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
    "\"rhs_contracting_dimensions\":[\"0\"],\"lhs_batch_dimensions\":[],"
    "\"rhs_batch_dimensions\":[]}";

// A call whose configuration has these fields beside the usual dimensions.
std::string Gemm(absl::string_view result, absl::string_view operands,
                 absl::string_view fields,
                 absl::string_view target = "__cublas$lt$matmul") {
  return absl::StrCat("ROOT r = ", result, " custom-call(", operands,
                      "), custom_call_target=\"", target,
                      "\", backend_config={\"operation_queue_id\":\"0\","
                      "\"gemm_backend_config\":{",
                      fields, fields.empty() ? "" : ",", kPlainDims, "}}\n");
}

constexpr absl::string_view kDot =
    " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

TEST(GemmCall, ReadsTheConfigurationsOfOldAndNewVersions) {
  const std::string in = Parameters({"f32[3,4]", "f32[4,5]", "f32[3,5]"});
  const std::string plain = absl::StrCat(
      in, "d = f32[3,5]", kDot,
      "k = f32[] constant(2)\nkk = f32[3,5] broadcast(k), dimensions={}\n"
      "e = f32[3,5] multiply(d, kk)\nh = f32[] constant(0.5)\n"
      "hh = f32[3,5] broadcast(h), dimensions={}\n"
      "f = f32[3,5] multiply(c, hh)\nROOT r = f32[3,5] add(e, f)\n");
  const std::string fields = "\"alpha_real\":2,\"alpha_imag\":0,\"beta\":0.5";
  for (const char* target : {"__cublas$gemm", "__cublas$lt$matmul"}) {
    ExpectSameAsPlain(
        absl::StrCat(in, Gemm("f32[3,5]", "a, b, c", fields, target)), plain);
  }
  // Alone and as a string, with fields of its time.
  ExpectSameAsPlain(
      absl::StrCat(in,
                   "ROOT r = f32[3,5] custom-call(a, b, c), "
                   "custom_call_target=\"__cublas$gemm\", backend_config=\""
                   "{\\\"alpha_real\\\":2,\\\"alpha_imag\\\":0,\\\"beta\\\":"
                   "0.5,\\\"dot_dimension_numbers\\\":{"
                   "\\\"lhs_contracting_dimensions\\\":[\\\"1\\\"],"
                   "\\\"rhs_contracting_dimensions\\\":[\\\"0\\\"]},"
                   "\\\"batch_size\\\":\\\"1\\\","
                   "\\\"selected_algorithm\\\":\\\"7\\\"}\"\n"),
      plain);
}

TEST(GemmCall, AppliesEveryEpilogue) {
  const std::string in = Parameters({"f32[3,4]", "f32[4,5]", "f32[5]"});
  const std::string biased =
      absl::StrCat("p = f32[3,5]", kDot,
                   "bb = f32[3,5] broadcast(c), dimensions={1}\n"
                   "x = f32[3,5] add(p, bb)\n");
  const std::string unbiased =
      absl::StrCat("p = f32[3,5]", kDot, "x = f32[3,5] copy(p)\n");
  const std::string one =
      "k1 = f32[] constant(1)\nones = f32[3,5] broadcast(k1), dimensions={}\n"
      "k2 = f32[] constant(0.5)\nhalf = f32[3,5] broadcast(k2), "
      "dimensions={}\n";
  const std::string relu =
      "z = f32[] constant(0)\nzz = f32[3,5] broadcast(z), dimensions={}\n"
      "ROOT r = f32[3,5] maximum(x, zz)\n";
  const std::string silu = "s = f32[3,5] logistic(x)\n"
                           "ROOT r = f32[3,5] multiply(x, s)\n";
  const std::string gelu =
      "xx = f32[3,5] multiply(x, x)\nxxx = f32[3,5] multiply(xx, x)\n"
      "k3 = f32[] constant(0.044715)\nk4 = f32[] constant(0.7978845608)\n"
      "b3 = f32[3,5] broadcast(k3), dimensions={}\n"
      "b4 = f32[3,5] broadcast(k4), dimensions={}\n"
      "g1 = f32[3,5] multiply(xxx, b3)\ng2 = f32[3,5] add(x, g1)\n"
      "g3 = f32[3,5] multiply(g2, b4)\ng4 = f32[3,5] tanh(g3)\n"
      "g5 = f32[3,5] add(g4, ones)\ng6 = f32[3,5] multiply(x, half)\n";
  const std::string gelu_root = "ROOT r = f32[3,5] multiply(g5, g6)\n";
  const std::string aux_root =
      "g7 = f32[3,5] multiply(g5, g6)\n"
      "ROOT r = (f32[3,5], f32[3,5]) tuple(g7, x)\n";
  const struct {
    const char* epilogue;
    std::string plain;
  } kCases[] = {
      {"DEFAULT", "ROOT r = f32[3,5] copy(x)\n"},
      {"RELU", relu},
      {"SILU", silu},
      {"GELU", one + gelu + gelu_root},
      {"GELU_AUX", one + gelu + aux_root},
  };
  for (const auto& c : kCases) {
    const bool aux = absl::string_view(c.epilogue) == "GELU_AUX";
    const std::string result = aux ? "(f32[3,5], f32[3,5])" : "f32[3,5]";
    const std::string field = absl::StrCat("\"epilogue\":\"", c.epilogue, "\"");
    ExpectSameAsPlain(absl::StrCat(in, Gemm(result, "a, b", field)),
                      absl::StrCat(in, unbiased, c.plain));
    const std::string with_bias =
        absl::string_view(c.epilogue) == "DEFAULT"
            ? "\"epilogue\":\"BIAS\""
            : absl::StrCat("\"epilogue\":\"BIAS_", c.epilogue, "\"");
    ExpectSameAsPlain(absl::StrCat(in, Gemm(result, "a, b, c", with_bias)),
                      absl::StrCat(in, biased, c.plain));
  }
}

TEST(GemmCall, AddsTheBiasAlongTheInnermostDimension) {
  const std::string in = Parameters({"f32[3,4]", "f32[4,3]", "f32[3]"});
  for (const bool by_rows : {true, false}) {
    const std::string type = absl::StrCat("f32[3,3]", by_rows ? "{0,1}"
                                                              : "{1,0}");
    ExpectSameAsPlain(
        absl::StrCat(in, Gemm(type, "a, b, c", "\"epilogue\":\"BIAS\"")),
        absl::StrCat(in, "p = f32[3,3]", kDot,
                     "bb = f32[3,3] broadcast(c), dimensions={",
                     by_rows ? 0 : 1, "}\nROOT r = f32[3,3] add(p, bb)\n"));
  }
}

TEST(GemmCall, TakesBatchesLayoutsWorkspaceAndTransposes) {
  const std::string in =
      Parameters({"f32[2,4,3]{1,2,0}", "f32[2,5,4]{2,1,0}", "f32[2,3,5]"});
  ExpectSameAsPlain(
      absl::StrCat(in,
                   "ROOT r = (f32[2,3,5]{1,2,0}, s8[64]) custom-call(a, b, c),"
                   "custom_call_target=\"__cublas$gemm\","
                   "output_to_operand_aliasing={{0}: (2, {})},"
                   "backend_config={\"gemm_backend_config\":{\"alpha_real\":1,"
                   "\"beta\":1,\"dot_dimension_numbers\":{"
                   "\"lhs_contracting_dimensions\":[\"1\"],"
                   "\"rhs_contracting_dimensions\":[\"2\"],"
                   "\"lhs_batch_dimensions\":[\"0\"],"
                   "\"rhs_batch_dimensions\":[\"0\"]},\"lhs_stride\":\"12\","
                   "\"rhs_stride\":\"20\",\"grad_x\":false,"
                   "\"precision_config\":{\"operand_precision\":[\"DEFAULT\","
                   "\"DEFAULT\"],\"algorithm\":\"ALG_UNSET\"}}}\n"),
      absl::StrCat(
          in,
          "d = f32[2,3,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
          "lhs_contracting_dims={1}, rhs_contracting_dims={2}\n"
          "e = f32[2,3,5] add(d, c)\nz = s8[] constant(0)\n"
          "w = s8[64] broadcast(z), dimensions={}\n"
          "ROOT r = (f32[2,3,5], s8[64]) tuple(e, w)\n"));
}

TEST(GemmCall, TakesAScalarResultWithWorkspace) {
  const std::string in = Parameters({"f32[4]", "f32[4]"});
  const std::string call =
      "ROOT r = (f32[], s8[8]) custom-call(a, b), "
      "custom_call_target=\"__cublas$gemm\", backend_config={"
      "\"gemm_backend_config\":{\"alpha_real\":1,\"dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"0\"],"
      "\"rhs_contracting_dimensions\":[\"0\"]}}}\n";
  ExpectSameAsPlain(
      absl::StrCat(in, call),
      absl::StrCat(in,
                   "d = f32[] dot(a, b), lhs_contracting_dims={0}, "
                   "rhs_contracting_dims={0}\nz = s8[] constant(0)\n"
                   "w = s8[8] broadcast(z), dimensions={}\n"
                   "ROOT r = (f32[], s8[8]) tuple(d, w)\n"));
}

TEST(GemmCall, SumsInAWiderTypeAndRoundsOnce) {
  for (const char* type : {"f16", "bf16"}) {
    const std::string in = Parameters({absl::StrCat(type, "[3,64]"),
                                       absl::StrCat(type, "[64,5]"),
                                       absl::StrCat(type, "[3,5]")});
    ExpectSameAsPlain(
        absl::StrCat(in, Gemm(absl::StrCat(type, "[3,5]"), "a, b, c",
                              "\"alpha_real\":0.1,\"beta\":0.3")),
        absl::StrCat(
            in,
            "wa = f32[3,64] convert(a)\nwb = f32[64,5] convert(b)\n"
            "wc = f32[3,5] convert(c)\n"
            "d = f32[3,5] dot(wa, wb), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\nk = f32[] constant(0.1)\n"
            "kk = f32[3,5] broadcast(k), dimensions={}\n"
            "e = f32[3,5] multiply(d, kk)\nh = f32[] constant(0.3)\n"
            "hh = f32[3,5] broadcast(h), dimensions={}\n"
            "f = f32[3,5] multiply(wc, hh)\ns = f32[3,5] add(e, f)\nROOT r = ",
            type, "[3,5] convert(s)\n"),
        8e-3);
  }
}

TEST(GemmCall, TakesOtherTypes) {
  for (const char* type : {"f64", "c64", "c128"}) {
    const std::string in = Parameters(
        {absl::StrCat(type, "[3,4]"), absl::StrCat(type, "[4,5]")});
    ExpectSameAsPlain(
        absl::StrCat(in, Gemm(absl::StrCat(type, "[3,5]"), "a, b", "")),
        absl::StrCat(in, "ROOT r = ", type, "[3,5]", kDot));
  }
  const std::string in = Parameters({"c64[3,4]", "c64[4,5]"});
  ExpectSameAsPlain(
      absl::StrCat(in, Gemm("c64[3,5]", "a, b",
                            "\"alpha_real\":2,\"alpha_imag\":-1")),
      absl::StrCat(in, "d = c64[3,5]", kDot,
                   "k = c64[] constant((2,-1))\n"
                   "kk = c64[3,5] broadcast(k), dimensions={}\n"
                   "ROOT r = c64[3,5] multiply(d, kk)\n"));
  const std::string bytes = Parameters({"s8[3,4]", "s8[4,5]", "s32[3,5]"});
  ExpectSameAsPlain(
      absl::StrCat(bytes, Gemm("s32[3,5]", "a, b, c",
                               "\"alpha_real\":3,\"beta\":2",
                               "__cublas$gemm")),
      absl::StrCat(bytes,
                   "wa = s32[3,4] convert(a)\nwb = s32[4,5] convert(b)\n"
                   "d = s32[3,5] dot(wa, wb), lhs_contracting_dims={1}, "
                   "rhs_contracting_dims={0}\nk = s32[] constant(3)\n"
                   "kk = s32[3,5] broadcast(k), dimensions={}\n"
                   "e = s32[3,5] multiply(d, kk)\nf = s32[3,5] add(c, c)\n"
                   "ROOT r = s32[3,5] add(e, f)\n"));
}

TEST(GemmCall, ScalesF8) {
  const std::string f8 = "f8e4m3fn";
  // 2 * 3 * (1 * 4 + 2 * 8) = 120; with the scale of D 240; amax 120.
  const auto bytes = [](std::vector<float> v, std::vector<int64_t> dims) {
    Literal literal =
        Literal::Zeros(Shape::ArrayWithDescendingLayout(kF8E4M3FN, dims));
    for (size_t i = 0; i < v.size(); ++i) literal.SetFromDouble(i, v[i]);
    return literal;
  };
  const Literal a = bytes({1, 2}, {1, 2}), b = bytes({4, 8}, {2, 1});
  const auto scalar = [](float v) { return Literal::Scalar<float>(v); };
  const std::string in = Parameters({"f8e4m3fn[1,2]", "f8e4m3fn[2,1]", "f32[]",
                                     "f32[]", "f32[]"});
  const auto config = [&](absl::string_view result, absl::string_view operands,
                          absl::string_view fields) {
    return absl::StrCat(
        "t = ", result, " custom-call(", operands,
        "), custom_call_target=\"__cublas$lt$matmul$f8\", backend_config={"
        "\"gemm_backend_config\":{\"alpha_real\":1,\"beta\":0,",
        fields, kPlainDims, "}}\n");
  };
  ExpectValues(
      absl::StrCat(in, config("(f32[1,1], s8[4])", "a, b, c, d", ""),
                   "ROOT r = f32[1,1] get-tuple-element(t), index=0\n"),
      {a, b, scalar(2), scalar(3), scalar(2)}, {120});
  const std::string amax = config("(f8e4m3fn[1,1], f32[], s8[4])",
                                  "a, b, c, d, e", "\"damax_output\":true,");
  for (const int index : {0, 1}) {
    ExpectValues(
        absl::StrCat(in, amax, "q = ", index == 0 ? "f8e4m3fn[1,1]" : "f32[]",
                     " get-tuple-element(t), index=", index,
                     "\nROOT r = f32", index == 0 ? "[1,1]" : "[]",
                     " convert(q)\n"),
        {a, b, scalar(2), scalar(3), scalar(2)}, {index == 0 ? 240.0 : 120.0});
  }
  // Past the largest value results saturate.
  ExpectValues(
      absl::StrCat(in, amax,
                   "q = f8e4m3fn[1,1] get-tuple-element(t), index=0\n"
                   "ROOT r = f32[1,1] convert(q)\n"),
      {a, b, scalar(2), scalar(3), scalar(100)}, {448});
}

TEST(GemmCall, MultipliesGroups) {
  const std::string in = Parameters({"f32[6,4]", "f32[2,4,5]"});
  const std::string sizes = "g = s32[2] constant({2, 4})\n";
  ExpectSameAsPlain(
      absl::StrCat(
          in, sizes,
          "ROOT r = (f32[6,5], s8[16]) custom-call(a, b, g), "
          "custom_call_target=\"__cublas$lt$groupedMatmul\", backend_config={"
          "\"grouped_gemm_backend_config\":{\"gemm_backend_config\":{"
          "\"alpha_real\":1},\"ragged_dot_dimension_numbers\":{"
          "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
          "\"rhs_contracting_dimensions\":[\"1\"]},"
          "\"lhs_ragged_dimensions\":[\"0\"],"
          "\"rhs_group_dimensions\":[\"0\"]}}}\n"),
      absl::StrCat(
          in, sizes,
          "d = f32[6,5] ragged-dot(a, b, g), lhs_contracting_dims={1}, "
          "rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
          "rhs_group_dims={0}\nz = s8[] constant(0)\n"
          "w = s8[16] broadcast(z), dimensions={}\n"
          "ROOT r = (f32[6,5], s8[16]) tuple(d, w)\n"));
}

TEST(GemmCall, RunsInsideAnAsyncStart) {
  const std::string in = Parameters({"f32[3,4]", "f32[4,5]"});
  const std::string config = absl::StrCat(
      "custom_call_target=\"__cublas$gemm\", backend_config={"
      "\"gemm_backend_config\":{\"alpha_real\":1,", kPlainDims, "}}");
  const std::string text = absl::StrCat(
      "HloModule m\nwrapped {\n", in,
      "ROOT g = f32[3,5] custom-call(a, b), ", config, "\n}\nENTRY e {\n", in,
      "s = ((f32[3,4], f32[4,5]), f32[3,5], u32[]) async-start(a, b), "
      "calls=wrapped\nROOT d = f32[3,5] async-done(s)\n}\n");
  ExpectSameAsPlain(text, absl::StrCat(in, "ROOT r = f32[3,5]", kDot));
}

}  // namespace
}  // namespace hlokit
