#include "passes/types/operand_upcaster.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(OperandUpcasterTest, GivesADotOperandsOfTheResultsType) {
  auto module = TransformedBy<OperandUpcaster>(R"(
ENTRY e {
  x = s8[2,3] parameter(0)
  y = s16[3,2] parameter(1)
  ROOT d = s32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert parameter convert dot");
}

TEST(OperandUpcasterTest, LeavesOperandsOfTheSameTypeAndWiderOnes) {
  ExpectUnchangedBy<OperandUpcaster>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,2] parameter(1)
  d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT n = bf16[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
