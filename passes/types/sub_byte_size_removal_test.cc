#include "passes/types/sub_byte_size_removal.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(SubByteSizeRemovalTest, ElementsTakeBytesAgain) {
  auto module = TransformedBy<SubByteSizeRemoval>(R"(
HloModule m, entry_computation_layout={(s4[8]{0:E(4)})->(s4[8]{0:E(4)}, s32[])}
ENTRY e {
  x = s4[8]{0:E(4)} parameter(0)
  y = s4[8]{0:E(4)} negate(x)
  c = s32[] constant(1)
  ROOT t = (s4[8]{0:E(4)}, s32[]) tuple(y, c)
})");
  EXPECT_EQ(module->entry()->root()->shape().ToString(), "(s4[8]{0}, s32[])");
  EXPECT_EQ(module->entry_layout->parameters[0].ToString(), "s4[8]{0}");
}

TEST(SubByteSizeRemovalTest, LeavesOtherArrays) {
  ExpectUnchangedBy<SubByteSizeRemoval>(R"(
ENTRY e {
  x = s4[8]{0} parameter(0)
  ROOT y = s4[8]{0} negate(x)
})");
}

}  // namespace
}  // namespace hlokit
