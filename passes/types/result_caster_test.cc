#include "passes/types/result_caster.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ResultCasterTest, ComputesInTheOperandsTypeAndConvertsAfterwards) {
  auto module = TransformedBy<ResultCaster>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,2] parameter(1)
  ROOT d = bf16[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                            0.05);
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter dot convert");
}

TEST(ResultCasterTest, LeavesWiderAndEqualResults) {
  ExpectUnchangedBy<ResultCaster>(R"(
ENTRY e {
  x = s8[2,3] parameter(0)
  y = s8[3,2] parameter(1)
  a = s32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = s8[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[2,2], s8[2,2]) tuple(a, b)
})");
}

}  // namespace
}  // namespace hlokit
