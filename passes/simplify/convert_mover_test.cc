#include "passes/simplify/convert_mover.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvertMoverTest, WideningGoesDown) {
  auto module = TransformedBy<ConvertMover>(R"(
ENTRY e {
  x = bf16[6] parameter(0)
  y = bf16[6] parameter(1)
  a = f32[6] convert(x)
  b = f32[6] convert(y)
  c = f32[12] concatenate(a, b), dimensions={0}
  ROOT r = f32[3,4] reshape(c)
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter parameter concatenate reshape convert");
}

TEST(ConvertMoverTest, NarrowingGoesUp) {
  auto module = TransformedBy<ConvertMover>(R"(
ENTRY e {
  x = f32[6] parameter(0)
  a = f32[2,3] reshape(x)
  b = f32[3,2] transpose(a), dimensions={1,0}
  ROOT r = bf16[3,2] convert(b)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert reshape transpose");
}

TEST(ConvertMoverTest, LeavesConversionsThatOthersUse) {
  ExpectUnchangedBy<ConvertMover>(R"(
ENTRY e {
  x = bf16[6] parameter(0)
  a = f32[6] convert(x)
  b = f32[2,3] reshape(a)
  n = f32[6] negate(a)
  ROOT t = (f32[2,3], f32[6]) tuple(b, n)
})");
}

}  // namespace
}  // namespace hlokit
