#include "passes/expand/op_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"
#include "passes/expand/logistic_expander.h"

namespace hlokit {
namespace {

TEST(OpExpanderTest, CarriesMetadataShardingAndFrontendAttributes) {
  auto module = TransformedBy<LogisticExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] logistic(p), sharding={devices=[2]<=[2]},
    frontend_attributes={a="b"}, metadata={op_name="f/logistic"}
})");
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->opcode(), Opcode::kDivide);
  EXPECT_TRUE(root->attrs().Has(AttrId::kFrontendAttributes));
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() == Opcode::kParameter) continue;
    EXPECT_EQ(i->metadata().op_name, "f/logistic") << i->name();
    EXPECT_EQ(i->sharding() != nullptr, i->shape().rank() == 1) << i->name();
  }
}

TEST(OpExpanderTest, LeavesFusionBodiesAlone) {
  ExpectUnchangedBy<LogisticExpander>(R"(
f {
  p = f32[4] parameter(0)
  ROOT r = f32[4] logistic(p)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] fusion(p), kind=kLoop, calls=f
})");
}

TEST(OpExpanderTest, KeepsControlDependencies) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] negate(p)
  b = f32[4] logistic(p), control-predecessors={a}
  ROOT r = f32[4] add(p, b)
})");
  LogisticExpander pass;
  RunPass(&pass, module.get(), true);
  const Instruction* b = module->entry()->root()->operand(1);
  ASSERT_EQ(b->control_predecessors().size(), 1u);
  EXPECT_EQ(b->control_predecessors()[0]->name(), "a");
}

TEST(OpExpanderTest, KeepsTheLayoutOfTheResult) {
  auto module = TransformedBy<LogisticExpander>(R"(
ENTRY e {
  p = f32[4,2]{0,1} parameter(0)
  ROOT r = f32[4,2]{0,1} logistic(p)
})");
  EXPECT_EQ(module->entry()->root()->shape().ToString(), "f32[4,2]{0,1}");
}

TEST(OpExpanderTest, ReplacesInCalledComputationsToo) {
  auto module = TransformedBy<LogisticExpander>(R"(
f {
  p = f32[4] parameter(0)
  ROOT r = f32[4] logistic(p)
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] call(p), to_apply=f
})");
  EXPECT_EQ(CountOf(*module, Opcode::kLogistic), 0);
}

}  // namespace
}  // namespace hlokit
