#include "passes/types/bf16_mixed_precision_removal.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(Bf16MixedPrecisionRemovalTest, MixedDotsAreComputedInF32) {
  auto module = TransformedBy<Bf16MixedPrecisionRemoval>(R"(
ENTRY e {
  a = bf16[2,3] parameter(0)
  b = bf16[3,4] parameter(1)
  ROOT d = f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})", 1e-3);
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert parameter convert dot");
}

TEST(Bf16MixedPrecisionRemovalTest, LeavesOneTypeAlone) {
  ExpectUnchangedBy<Bf16MixedPrecisionRemoval>(R"(
ENTRY e {
  a = bf16[2,3] parameter(0)
  b = bf16[2,3] add(a, a)
  ROOT c = f32[2,3] convert(b)
})");
}

}  // namespace
}  // namespace hlokit
