// What cannot run says why; nothing that a file holds makes a tool abort.
#include "absl/strings/str_cat.h"
#include "backends/library_calls/test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/library_calls/library_call.h"

namespace hlokit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Call(absl::string_view target, absl::string_view config,
                 absl::string_view result = "f32[2,2]",
                 absl::string_view operands = "a, b") {
  return absl::StrCat(Parameters({"f32[2,2]", "f32[2,2]"}), "ROOT the_call = ",
                      result, " custom-call(", operands,
                      "), custom_call_target=\"", target, "\"",
                      config.empty() ? "" : ", backend_config=", config, "\n");
}

TEST(RefusedCall, NamesTheInstructionAndTheReason) {
  EXPECT_THAT(ErrorOf(Call("__cublas$gemm", "")),
              AllOf(HasSubstr("the_call"), HasSubstr("no backend_config")));
  EXPECT_THAT(ErrorOf(Call("__cublas$gemm",
                           "{\"gemm_backend_config\":{\"new_field\":3}}")),
              AllOf(HasSubstr("the_call"), HasSubstr("new_field")));
  EXPECT_THAT(ErrorOf(Call("__cublas$gemm",
                           "{\"gemm_backend_config\":{\"epilogue\":\"WAVE\"}}")),
              HasSubstr("BIAS_GELU_AUX"));
  EXPECT_THAT(ErrorOf(Call("__cublas$gemm", "{\"beta\":\"much\"}")),
              HasSubstr("beta"));
  EXPECT_THAT(
      ErrorOf(Call("__cudnn$fmhaSoftmaxDropout",
                   "{\"cudnn_fmha_backend_config\":{\"dropout_rate\":0.5}}")),
      HasSubstr("dropout_rate"));
  EXPECT_THAT(
      ErrorOf(Call("__cudnn$convForward",
                   "{\"cudnn_conv_backend_config\":{"
                   "\"reordered_int8_nchw_vect\":true}}")),
      HasSubstr("reordered_int8_nchw_vect"));
  EXPECT_THAT(ErrorOf(Call("__onednn$matmul",
                           "{\"onednn_matmul_config\":{\"optimization_config\":"
                           "{\"weights_prepacked\":true}}}")),
              HasSubstr("weights_prepacked"));
  EXPECT_THAT(ErrorOf(Call("__onednn$matmul_reorder", "{}")),
              HasSubstr("oneDNN's own"));
}

TEST(RefusedCall, UnknownFieldsOfTheirDefaultValueDoNoHarm) {
  EXPECT_EQ(ErrorOf(Call("__cublas$gemm",
                         "{\"gemm_backend_config\":{\"new_field\":0,"
                         "\"other\":\"\",\"list\":[],\"dot_dimension_numbers\":"
                         "{\"lhs_contracting_dimensions\":[1],"
                         "\"rhs_contracting_dimensions\":[0]}}}")),
            "");
}

// Every target with configurations and shapes that do not belong to it.
TEST(RefusedCall, NothingAborts) {
  const char* const configs[] = {
      "\"\"", "\"{\"", "\"[1,2]\"", "\"{\\\"a\\\":}\"", "{}",
      "{\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"9\"],"
      "\"rhs_contracting_dimensions\":[\"-1\"]}}}",
      "{\"cudnn_conv_backend_config\":{\"serialized_graph\":\"1:[f32]a(\"}}",
      "{\"cudnn_conv_backend_config\":{\"serialized_graph\":"
      "\"1:[f32]conv();2:[f99]add(1);\"}}",
      "{\"cudnn_norm_backend_config\":{\"kind\":\"LAYER_BWD\"}}",
      "{\"cudnn_fmha_backend_config\":{\"bmm1_dot_dimension_numbers\":{"
      "\"lhs_batch_dimensions\":[\"5\",\"6\"]}}}",
      "{\"onednn_conv_config\":{\"input\":{\"data\":{\"spatial_dims\":"
      "[\"99\"]}}}}",
      "{\"onednn_softmax_config\":{\"softmax_axis\":7}}",
  };
  const char* const results[] = {"f32[2,2]", "(f32[2,2], u8[4])", "()",
                                 "f32[]", "token[]", "(f32[2,2], (s32[]))",
                                 "pred[2,2]", "c64[2,2]", "f32[<=2,2]"};
  const char* const operands[] = {"", "a", "a, b", "a, b, a",
                                  "a, b, a, b, a, b, a, b, a"};
  for (absl::string_view target : LibraryCallTargets()) {
    for (const char* config : configs) {
      for (const char* result : results) {
        for (const char* operand : operands) {
          (void)RunText("interpreter", Call(target, config, result, operand));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hlokit
