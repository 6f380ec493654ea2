#include "passes/types/sub_byte_size_setter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(SubByteSizeSetterTest, PacksEverywhere) {
  auto module = TransformedBy<SubByteSizeSetter>(R"(
HloModule m, entry_computation_layout={(s4[4]{0})->(s4[4]{0}, s8[4]{0})}
ENTRY e {
  x = s4[4] parameter(0)
  y = s8[4] convert(x)
  n = s4[4] negate(x)
  ROOT t = (s4[4], s8[4]) tuple(n, y)
})");
  EXPECT_EQ(module->entry()->root()->shape().ToString(),
            "(s4[4]{0:E(4)}, s8[4]{0})");
  EXPECT_EQ(module->entry_layout->parameters[0].ToString(), "s4[4]{0:E(4)}");
}

TEST(SubByteSizeSetterTest, LeavesBytes) {
  ExpectUnchangedBy<SubByteSizeSetter>(R"(
ENTRY e { x = u8[4] parameter(0) ROOT n = u8[4] not(x) })");
}

}  // namespace
}  // namespace hlokit
