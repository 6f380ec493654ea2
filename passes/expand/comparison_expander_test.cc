#include "passes/expand/comparison_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ComparisonExpanderTest, OrdersEveryKindOfFloat) {
  for (const char* type : {"bf16", "f16", "f32", "f64"}) {
    for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      SCOPED_TRACE(absl::StrCat(type, " ", direction));
      const std::string values = absl::StrCat(
          type, "[9] constant({-nan, -inf, -2, -0.0, 0, 1, 2, inf, nan})");
      auto module = TransformedBy<ComparisonExpander>(absl::StrCat(
          "ENTRY e {\n c = ", values, "\n a = ", type,
          "[9,9] broadcast(c), dimensions={0}\n b = ", type,
          "[9,9] broadcast(c), dimensions={1}\n ROOT r = pred[9,9] ",
          "compare(a, b), direction=", direction, ", type=TOTALORDER\n}"));
      for (const Instruction* i : module->entry()->instructions()) {
        if (i->opcode() != Opcode::kCompare) continue;
        EXPECT_TRUE(IsSignedIntType(i->operand(0)->shape().element_type()));
      }
    }
  }
}

TEST(ComparisonExpanderTest, TakesScalarsAndEmptyArrays) {
  for (const char* sizes : {"[]", "[0]", "[2,3]"}) {
    TransformedBy<ComparisonExpander>(absl::StrCat(
        "ENTRY e {\n a = f32", sizes, " parameter(0)\n b = f32", sizes,
        " parameter(1)\n ROOT r = pred", sizes,
        " compare(a, b), direction=LT, type=TOTALORDER\n}"));
  }
}

TEST(ComparisonExpanderTest, LeavesPartialOrdersAlone) {
  ExpectUnchangedBy<ComparisonExpander>(R"(
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  ROOT r = pred[2] compare(a, b), direction=LT
})");
}

TEST(ComparisonExpanderTest, ConvertsTypesThatCannotBeCompared) {
  ComparisonExpander pass({{kBF16, kF32}});
  auto module = Transformed(&pass, R"(
ENTRY e {
  a = bf16[4] parameter(0)
  b = bf16[4] parameter(1)
  ROOT r = pred[4] compare(a, b), direction=GE
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert parameter convert compare");
}

// All values are positive, the high bit is part of the exponent.
TEST(ComparisonExpanderTest, FloatsWithoutSignCompareAsUnsigned) {
  auto module = TransformedBy<ComparisonExpander>(R"(
ENTRY e {
  a = f8e8m0fnu[4] parameter(0)
  b = f8e8m0fnu[4] parameter(1)
  ROOT r = pred[4] compare(a, b), direction=LT, type=TOTALORDER
})");
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->operand(0)->shape().element_type(), kU8);
}

}  // namespace
}  // namespace hlokit
