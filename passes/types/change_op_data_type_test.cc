#include "passes/types/change_op_data_type.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ChangeOpDataTypeTest, DoesAHalfPrecisionDotInSingle) {
  auto module = TransformedBy<ChangeOpDataType>(R"(
ENTRY e {
  x = f16[2,3] parameter(0)
  y = f16[3,2] parameter(1)
  ROOT d = f16[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert parameter convert dot convert");
}

TEST(ChangeOpDataTypeTest, LeavesOtherOperationsAndMixedTypes) {
  ExpectUnchangedBy<ChangeOpDataType>(R"(
ENTRY e {
  x = f16[2,3] parameter(0)
  y = f16[3,2] parameter(1)
  a = f16[2,3] add(x, x)
  ROOT d = f32[2,2] dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
