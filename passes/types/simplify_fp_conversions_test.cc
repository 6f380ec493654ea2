#include "passes/types/simplify_fp_conversions.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(SimplifyFpConversionsTest, ChainsBecomeOneConversion) {
  auto module = TransformedBy<SimplifyFpConversions>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  a = bf16[4] convert(x)
  b = f32[4] convert(a)
  c = f16[4] convert(b)
  ROOT t = (f32[4], f16[4]) tuple(b, c)
})",
                                                     0.01);
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert tuple");
}

TEST(SimplifyFpConversionsTest, LeavesConversionsThroughIntegers) {
  ExpectUnchangedBy<SimplifyFpConversions>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  a = s32[4] convert(x)
  ROOT b = f32[4] convert(a)
})");
}

}  // namespace
}  // namespace hlokit
