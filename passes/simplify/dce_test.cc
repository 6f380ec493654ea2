#include "passes/simplify/dce.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

void Dce(Module* module, bool changed) {
  DeadCodeElimination dce;
  RunPass(&dce, module, changed);
}

TEST(DceTest, RemovesAChainThatNobodyUses) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] add(p, p)
  b = f32[4] multiply(a, a)
  ROOT r = f32[4] negate(p)
})");
  Dce(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter negate");
}

TEST(DceTest, KeepsUnusedParameters) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  ROOT r = f32[4] negate(p)
})");
  Dce(module.get(), false);
  EXPECT_EQ(module->entry()->parameter_count(), 2);
}

TEST(DceTest, KeepsSideEffects) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  c = f32[4] custom-call(p), custom_call_target="log", custom_call_has_side_effect=true
  ROOT r = f32[4] negate(p)
})");
  Dce(module.get(), false);
}

TEST(DceTest, KeepsWhatAControlDependencyNeeds) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] add(p, p)
  ROOT r = f32[4] negate(p), control-predecessors={a}
})");
  Dce(module.get(), false);
}

TEST(DceTest, RemovesComputationsThatNobodyCalls) {
  auto module = ParseOrDie(R"(
HloModule m
f {
  x = f32[4] parameter(0)
  ROOT y = f32[4] negate(x)
}
ENTRY e {
  p = f32[4] parameter(0)
  dead = f32[4] call(p), to_apply=f
  ROOT r = f32[4] negate(p)
})");
  Dce(module.get(), true);
  EXPECT_EQ(module->computation_count(), 1);
}

TEST(DceTest, KeepsTheScheduleInStep) {
  auto module = ParseOrDie(R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] add(p, p)
  ROOT r = f32[4] negate(p)
})");
  Dce(module.get(), true);
  EXPECT_EQ(module->ExecutionOrder(*module->entry()).size(), 2u);
}

}  // namespace
}  // namespace hlokit
