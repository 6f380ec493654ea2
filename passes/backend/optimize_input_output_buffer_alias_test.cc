#include "passes/backend/optimize_input_output_buffer_alias.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BufferAliasTest, ResultsTakeDonatedBuffersOfTheirType) {
  auto module = TransformedBy<OptimizeInputOutputBufferAlias>(R"(
HloModule m, buffer_donor={ (0, {}), (1, {}) }
ENTRY e {
  x = s32[4] parameter(0)
  y = f32[4] parameter(1)
  a = f32[4] negate(y)
  b = f32[4] abs(y)
  ROOT t = (f32[4], f32[4]) tuple(a, b)
})");
  ASSERT_EQ(module->input_output_aliases.size(), 1u);
  EXPECT_EQ(module->input_output_aliases[0].parameter, 1);
  EXPECT_EQ(module->input_output_aliases[0].output_index, ShapeIndex({0}));
  EXPECT_EQ(module->buffer_donors.size(), 1u);
}

TEST(BufferAliasTest, LeavesModulesWithoutDonors) {
  ExpectUnchangedBy<OptimizeInputOutputBufferAlias>(R"(
ENTRY e { x = f32[4] parameter(0) ROOT a = f32[4] negate(x) })");
}

}  // namespace
}  // namespace hlokit
