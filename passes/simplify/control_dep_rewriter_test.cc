#include "passes/simplify/control_dep_rewriter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ControlDepRewriterTest, CallsBecomeControlDependencies) {
  ControlDepRewriter pass;
  auto module = ParseOrDie(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] sine(x)
  c = f32[4] cosine(x)
  k = () custom-call(s, c), custom_call_target="control_dep", custom_call_has_side_effect=true
  ROOT t = (f32[4], f32[4]) tuple(s, c)
})");
  RunPass(&pass, module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter sine cosine tuple");
  const Instruction* cosine = module->entry()->root()->operand(1);
  ASSERT_EQ(cosine->control_predecessors().size(), 1u);
  EXPECT_EQ(cosine->control_predecessors()[0]->opcode(), Opcode::kSine);
}

TEST(ControlDepRewriterTest, LeavesOtherCalls) {
  ExpectUnchangedBy<ControlDepRewriter>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  k = () custom-call(x, x), custom_call_target="other", custom_call_has_side_effect=true
  ROOT n = f32[4] negate(x)
})");
}

TEST(ControlDepRewriterTest, AnOrderThatDataForbidsIsAnError) {
  ControlDepRewriter pass;
  auto module = ParseOrDie(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] sine(x)
  c = f32[4] cosine(s)
  k = () custom-call(c, s), custom_call_target="control_dep", custom_call_has_side_effect=true
  ROOT n = f32[4] negate(c)
})");
  EXPECT_TRUE(absl::IsInvalidArgument(pass.Run(module.get()).status()));
}

}  // namespace
}  // namespace hlokit
