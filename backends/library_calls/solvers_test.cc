#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/library_calls/test_util.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SolverCall, SortsKeysAndPairs) {
  const Literal keys =
      Literal::Array<float>({2, 3}, {3, -1, 2, 0, INFINITY, -INFINITY});
  for (const bool descending : {false, true}) {
    const std::string config = absl::StrCat(
        ", custom_call_target=\"__cub$DeviceRadixSort\", "
        "backend_config={\"descending\":",
        descending ? "true" : "false", "}\n");
    const std::vector<double> up = {-1, 2, 3, -kInfinity, 0, kInfinity};
    const std::vector<double> down = {3, 2, -1, kInfinity, 0, -kInfinity};
    ExpectValues(
        absl::StrCat(Parameters({"f32[2,3]"}),
                     "t = (f32[2,3], u8[64]) custom-call(a)", config,
                     "ROOT r = f32[2,3] get-tuple-element(t), index=0\n"),
        {keys}, descending ? down : up);
    ExpectValues(
        absl::StrCat(Parameters({"f32[2,3]", "s32[2,3]"}),
                     "t = (f32[2,3], s32[2,3], u8[64]) custom-call(a, b)",
                     config,
                     "ROOT r = s32[2,3] get-tuple-element(t), index=1\n"),
        {keys, Literal::Array<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5})},
        descending ? std::vector<double>{0, 2, 1, 4, 3, 5}
                   : std::vector<double>{1, 2, 0, 5, 3, 4});
  }
}

// [4 2; 2 5] = L L^T with L = [2 0; 1 2]
TEST(SolverCall, FactorsAndSolves) {
  const Literal a = Literal::Array<float>({2, 2}, {4, 2, 2, 5});
  ExpectValues(
      absl::StrCat(
          Parameters({"f32[2,2]"}),
          "t = (f32[2,2], f32[64], s32[]) custom-call(a), "
          "custom_call_target=\"__cusolver$cholesky\", "
          "backend_config={\"lower\":true}\n"
          "l = f32[2,2] get-tuple-element(t), index=0\n"
          "ROOT r = f32[1,2] slice(l), slice={[1:2], [0:2]}\n"),
      {a}, {1, 2});
  ExpectValues(
      absl::StrCat(
          Parameters({"f32[2,2]", "f32[2,1]"}),
          "t = (f32[2,1], s8[16]) custom-call(a, b), "
          "custom_call_target=\"__cublas$triangularSolve\", backend_config={"
          "\"left_side\":true,\"lower\":true,\"unit_diagonal\":false,"
          "\"transpose_a\":\"NO_TRANSPOSE\"}\n"
          "ROOT r = f32[2,1] get-tuple-element(t), index=0\n"),
      {Literal::Array<float>({2, 2}, {2, 0, 1, 2}),
       Literal::Array<float>({2, 1}, {4, 10})},
      {2, 4});
}

TEST(SolverCall, PassesPythonCallbacksWithoutResults) {
  const std::string call =
      "c = () custom-call(a), "
      "custom_call_target=\"xla_ffi_python_cpu_callback\", "
      "custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, "
      "backend_config={index = 3 : ui64}\nROOT r = f32[2] negate(a)\n";
  ExpectSameAsPlain(absl::StrCat(Parameters({"f32[2]"}), call),
                    absl::StrCat(Parameters({"f32[2]"}),
                                 "ROOT r = f32[2] negate(a)\n"));
}

// The computation of a fusion for a code generator says what it does.
TEST(SolverCall, RunsFusionsOfEveryKind) {
  for (const char* kind :
       {"__triton_gemm", "__triton", "__triton_nested_gemm_fusion",
        "__custom_fusion", "__cudnn$fusion", "__dynamic_memcpy"}) {
    const std::string in = Parameters({"f32[3,4]", "f32[4,5]"});
    const std::string dot =
        "ROOT d = f32[3,5] dot(a, b), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n";
    ExpectSameAsPlain(
        absl::StrCat("HloModule m\nbody {\n", in, dot, "}\nENTRY e {\n", in,
                     "ROOT f = f32[3,5] fusion(a, b), kind=kCustom, "
                     "calls=body, backend_config={\"fusion_backend_config\":{"
                     "\"kind\":\"",
                     kind, "\"}}\n}\n"),
        absl::StrCat(in, dot));
  }
}

}  // namespace
}  // namespace hlokit
