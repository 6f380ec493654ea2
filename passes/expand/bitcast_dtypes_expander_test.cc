#include "passes/expand/bitcast_dtypes_expander.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BitcastDtypesExpanderTest, JoinsAndSplitsNumbers) {
  const char* const pairs[][2] = {
      {"u8[3,4]", "u32[3]"},   {"s8[2,8]", "f64[2]"}, {"u16[2]", "f32[]"},
      {"bf16[5,2]", "s32[5]"}, {"u32[3]", "u8[3,4]"},
      {"f64[2,3]", "f32[2,3,2]"},
      {"s64[]", "s16[4]"},     {"f32[2]", "bf16[2,2]"}, {"s8[3]", "u4[3,2]"},
      {"s4[3,2]", "u8[3]"},    {"u32[0]", "u8[0,4]"},
  };
  for (const auto& [from, to] : pairs) {
    SCOPED_TRACE(absl::StrCat(from, " -> ", to));
    auto module = TransformedBy<BitcastDtypesExpander>(
        absl::StrCat("ENTRY e {\n p = ", from, " parameter(0)\n ROOT r = ",
                     to, " bitcast-convert(p)\n}"));
    for (const Instruction* i : module->entry()->instructions()) {
      if (i->opcode() != Opcode::kBitcastConvert) continue;
      EXPECT_EQ(BitWidth(i->shape().element_type()),
                BitWidth(i->operand(0)->shape().element_type()));
    }
  }
}

TEST(BitcastDtypesExpanderTest, LeavesEqualWidthsAlone) {
  ExpectUnchangedBy<BitcastDtypesExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = u32[4] bitcast-convert(p)
})");
}

}  // namespace
}  // namespace hlokit
