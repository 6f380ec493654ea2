#include "passes/library_calls/library_call_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr absl::string_view kGemm = R"(
  a = f32[2,3] parameter(0)
  b = f32[3,4] parameter(1)
  c = f32[2,4] parameter(2)
  ROOT d = f32[2,4] custom-call(a, b, c), custom_call_target="__cublas$gemm",
    backend_config={"gemm_backend_config":{"alpha_real":2,"beta":1,
    "dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],
    "rhs_contracting_dimensions":["0"]},"epilogue":"DEFAULT"}}
)";

TEST(LibraryCallExpanderTest, PutsPlainHloInPlaceOfACall) {
  auto module = TransformedBy<LibraryCallExpander>(
      absl::StrCat("ENTRY e {", kGemm, "}"));
  EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kDot), 1);
}

TEST(LibraryCallExpanderTest, KeepsTheSchedule) {
  auto module = TransformedBy<LibraryCallExpander>(absl::StrCat(
      "HloModule m, is_scheduled=true\n\nENTRY e {", kGemm, "}"));
  EXPECT_TRUE(module->is_scheduled());
}

TEST(LibraryCallExpanderTest, ExpandsCallsInLoopsAndTuples) {
  auto module = TransformedBy<LibraryCallExpander>(R"(
cond {
  p = (s32[], f32[2,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[2,2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[2,2] get-tuple-element(p), index=1
  g = (f32[2,2], s8[16]) custom-call(x, x),
    custom_call_target="__cublas$lt$matmul",
    backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,
    "dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],
    "rhs_contracting_dimensions":["0"]},"epilogue":"RELU"}}
  y = f32[2,2] get-tuple-element(g), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[2,2]) tuple(j, y)
}
ENTRY e {
  x = f32[2,2] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[2,2]) tuple(zero, x)
  ROOT w = (s32[], f32[2,2]) while(init), condition=cond, body=body
})");
  EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 0);
}

TEST(LibraryCallExpanderTest, LeavesOtherCallsAlone) {
  ExpectUnchangedBy<LibraryCallExpander>(R"(
ENTRY e {
  a = f32[2,2] parameter(0)
  ROOT d = f32[2,2] custom-call(a), custom_call_target="Sharding"
})");
}

TEST(LibraryCallExpanderTest, LeavesCallsThatItCannotLowerAlone) {
  // No configuration, and one that does not fit the shapes.
  ExpectUnchangedBy<LibraryCallExpander>(R"(
ENTRY e {
  a = f32[2,2] parameter(0)
  ROOT d = f32[2,2] custom-call(a, a), custom_call_target="__cublas$gemm"
})");
  ExpectUnchangedBy<LibraryCallExpander>(R"(
ENTRY e {
  a = f32[2,3] parameter(0)
  ROOT d = f32[2,2] custom-call(a, a), custom_call_target="__cublas$gemm",
    backend_config={"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],
    "rhs_contracting_dimensions":["0"]}}
})");
}

TEST(LibraryCallExpanderTest, LeavesCallsAloneThatTheFilterDoesNotSelect) {
  LibraryCallExpander pass([](const Instruction&) { return false; });
  ExpectUnchanged(&pass, absl::StrCat("ENTRY e {", kGemm, "}"));
}

}  // namespace
}  // namespace hlokit
