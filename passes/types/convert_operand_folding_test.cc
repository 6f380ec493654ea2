#include "passes/types/convert_operand_folding.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvertOperandFoldingTest, ADotTakesNarrowIntegers) {
  auto module = TransformedBy<ConvertOperandFolding>(R"(
ENTRY e {
  x = s8[2,3] parameter(0)
  y = s16[3,2] parameter(1)
  a = s32[2,3] convert(x)
  b = s32[3,2] convert(y)
  ROOT d = s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter dot");
}

TEST(ConvertOperandFoldingTest, LeavesFloatsAndOtherTypes) {
  ExpectUnchangedBy<ConvertOperandFolding>(R"(
ENTRY e {
  x = s8[2,3] parameter(0)
  y = f32[3,2] parameter(1)
  a = f32[2,3] convert(x)
  ROOT d = f32[2,2] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
