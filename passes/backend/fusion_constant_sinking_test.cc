#include "passes/backend/fusion_constant_sinking.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(FusionConstantSinkingTest, AScalarMovesInside) {
  auto module = TransformedBy<FusionConstantSinking>(R"(
HloModule m
f {
  c = f32[] parameter(0)
  x = f32[4] parameter(1)
  b = f32[4] broadcast(c), dimensions={}
  ROOT r = f32[4] multiply(x, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  c = f32[] constant(3)
  ROOT r = f32[4] fusion(c, x), kind=kLoop, calls=f
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion");
  EXPECT_EQ(module->entry()->root()->to_apply()->parameter_count(), 1);
}

TEST(FusionConstantSinkingTest, AnUnusedScalarIsDropped) {
  auto module = TransformedBy<FusionConstantSinking>(R"(
HloModule m
f {
  c = f32[] parameter(0)
  x = f32[4] parameter(1)
  ROOT r = f32[4] negate(x)
}
ENTRY e {
  x = f32[4] parameter(0)
  c = f32[] constant(3)
  ROOT r = f32[4] fusion(c, x), kind=kLoop, calls=f
})");
  const Computation& body = *module->entry()->root()->to_apply();
  EXPECT_EQ(body.parameter_count(), 1);
  EXPECT_EQ(body.instruction_count(), 2);
}

TEST(FusionConstantSinkingTest, LeavesLargerConstants) {
  ExpectUnchangedBy<FusionConstantSinking>(R"(
HloModule m
f { c = f32[2] parameter(0) x = f32[2] parameter(1) ROOT r = f32[2] multiply(x, c) }
ENTRY e {
  x = f32[2] parameter(0)
  c = f32[2] constant({3, 4})
  ROOT r = f32[2] fusion(c, x), kind=kLoop, calls=f
})");
}

}  // namespace
}  // namespace hlokit
