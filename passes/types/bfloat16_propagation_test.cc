#include "passes/types/bfloat16_propagation.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(Bfloat16PropagationTest, RoundsBeforeMoving) {
  auto module = TransformedBy<Bfloat16Propagation>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  z = f32[] constant(0.1)
  t = f32[3,2] transpose(x), dimensions={1,0}
  p = f32[4,2] pad(t, z), padding=1_0x0_0
  ROOT c = bf16[4,2] convert(p)
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter convert transpose constant convert pad");
  EXPECT_EQ(module->entry()->root()->shape().element_type(), kBF16);
}

TEST(Bfloat16PropagationTest, DropsTheWayThereAndBack) {
  auto module = TransformedBy<Bfloat16Propagation>(R"(
ENTRY e {
  x = bf16[8] parameter(0)
  f = f32[8] convert(x)
  s = f32[2] slice(f), slice={[0:2]}
  ROOT c = bf16[2] convert(s)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter slice");
}

TEST(Bfloat16PropagationTest, LeavesValuesThatAreUsedInF32) {
  ExpectUnchangedBy<Bfloat16Propagation>(R"(
ENTRY e {
  x = f32[2,3] parameter(0)
  t = f32[3,2] transpose(x), dimensions={1,0}
  c = bf16[3,2] convert(t)
  s = f32[6] reshape(t)
  big = f32[2] slice(s), slice={[0:2]}
  d = bf16[2] convert(big)
  ROOT r = (bf16[3,2], f32[6], bf16[2]) tuple(c, s, d)
})");
}

}  // namespace
}  // namespace hlokit
