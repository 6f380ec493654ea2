#include "passes/backend/alias_passthrough_params.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AliasPassthroughParamsTest, ParametersThatAreResultsAliasThemOnce) {
  auto module = TransformedBy<AliasPassthroughParams>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  s = f32[4] sine(p)
  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(s, q, p, p)
})");
  ASSERT_EQ(module->input_output_aliases.size(), 2u);
  EXPECT_EQ(module->input_output_aliases[0].parameter, 1);
  EXPECT_EQ(module->input_output_aliases[1].output_index, ShapeIndex{2});
}

TEST(AliasPassthroughParamsTest, LeavesResultsThatAreComputed) {
  ExpectUnchangedBy<AliasPassthroughParams>(R"(
ENTRY e { p = f32[4] parameter(0) ROOT s = f32[4] sine(p) })");
}

}  // namespace
}  // namespace hlokit
