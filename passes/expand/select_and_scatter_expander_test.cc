#include "passes/expand/select_and_scatter_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string Module(absl::string_view type, absl::string_view operand,
                   absl::string_view source, absl::string_view window,
                   absl::string_view direction = "GE",
                   absl::string_view combine = "add(a, b)") {
  return absl::StrCat(
      "select {\n a = ", type, "[] parameter(0)\n b = ", type,
      "[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=", direction,
      "\n}\ncombine {\n a = ", type, "[] parameter(0)\n b = ", type,
      "[] parameter(1)\n ROOT r = ", type, "[] ", combine,
      "\n}\nENTRY e {\n p = ", type, operand, " parameter(0)\n s = ", type,
      source, " parameter(1)\n i = ", type, "[] constant(1)\n ROOT r = ", type,
      operand, " select-and-scatter(p, s, i), window={", window,
      "}, select=select, scatter=combine\n}");
}

TEST(SelectAndScatterExpanderTest, BecomesReduceWindowAndScatter) {
  auto module = TransformedBy<SelectAndScatterExpander>(
      Module("f32", "[4,6]", "[2,3]", "size=2x2 stride=2x2"), 1e-5);
  EXPECT_EQ(CountOf(*module, Opcode::kSelectAndScatter), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kReduceWindow), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kScatter), 1);
}

TEST(SelectAndScatterExpanderTest, KeepsValuesWithOverlapAndPadding) {
  for (const char* type : {"f32", "f64", "s32", "bf16"}) {
    for (const char* direction : {"GE", "GT", "LE"}) {
      SCOPED_TRACE(absl::StrCat(type, " ", direction));
      const double tolerance = type[0] == 'b' ? 0.05 : 1e-5;
      TransformedBy<SelectAndScatterExpander>(
          Module(type, "[7]", "[3]", "size=3 stride=2", direction), tolerance);
      TransformedBy<SelectAndScatterExpander>(
          Module(type, "[5,5]", "[3,3]", "size=3x3 stride=2x2 pad=1_1x1_1",
                 direction),
          tolerance);
      TransformedBy<SelectAndScatterExpander>(
          Module(type, "[2,4,1]", "[2,3,1]", "size=1x2x1", direction),
          tolerance);
    }
  }
}

TEST(SelectAndScatterExpanderTest, BreaksTiesAndTakesNaNAsBefore) {
  for (const char* direction : {"GE", "GT"}) {
    std::string text =
        Module("f32", "[6]", "[3]", "size=2 stride=2", direction);
    const size_t at = text.find("p = f32[6] parameter(0)");
    text.replace(at, 23, "p = f32[6] constant({1, 1, nan, 2, 3, nan})");
    text.replace(text.find("parameter(1)", at), 12, "parameter(0)");
    TransformedBy<SelectAndScatterExpander>(text);
  }
}

TEST(SelectAndScatterExpanderTest, KeepsTheOrderOfTheFunctionsArguments) {
  TransformedBy<SelectAndScatterExpander>(
      Module("s32", "[8]", "[4]", "size=2 stride=2", "GE", "subtract(a, b)"));
}

TEST(SelectAndScatterExpanderTest, LeavesOtherOperationsAlone) {
  ExpectUnchangedBy<SelectAndScatterExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] negate(p)
})");
}

}  // namespace
}  // namespace hlokit
