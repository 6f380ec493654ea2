#include "passes/simplify/tuple_simplifier.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

void Simplify(Module* module, bool changed) {
  TupleSimplifier pass;
  RunPass(&pass, module, changed);
}

TEST(TupleSimplifierTest, TakesTheElementInsteadOfUnpacking) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  q = s32[] parameter(1)
  t = (f32[4], s32[]) tuple(p, q)
  g = f32[4] get-tuple-element(t), index=0
  ROOT r = f32[4] negate(g)
})");
  Simplify(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter negate");
  EXPECT_EQ(module->entry()->root()->operand(0),
            module->entry()->parameter(0));
}

TEST(TupleSimplifierTest, TakesTheTupleInsteadOfPackingItAgain) {
  auto module = ParseOrDie(R"(
ENTRY e {
  t = (f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  b = s32[] get-tuple-element(t), index=1
  ROOT r = (f32[4], s32[]) tuple(a, b)
})");
  Simplify(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter");
  EXPECT_EQ(module->entry()->root(), module->entry()->parameter(0));
}

TEST(TupleSimplifierTest, LeavesATupleInAnotherOrder) {
  auto module = ParseOrDie(R"(
ENTRY e {
  t = (f32[4], f32[4]) parameter(0)
  a = f32[4] get-tuple-element(t), index=1
  b = f32[4] get-tuple-element(t), index=0
  ROOT r = (f32[4], f32[4]) tuple(a, b)
})");
  Simplify(module.get(), false);
}

TEST(TupleSimplifierTest, LeavesAPartOfATuple) {
  auto module = ParseOrDie(R"(
ENTRY e {
  t = (f32[4], f32[4]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  ROOT r = (f32[4]) tuple(a)
})");
  Simplify(module.get(), false);
}

TEST(TupleSimplifierTest, LooksThroughNestedTuples) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  inner = (f32[4]) tuple(p)
  outer = ((f32[4])) tuple(inner)
  g = (f32[4]) get-tuple-element(outer), index=0
  h = f32[4] get-tuple-element(g), index=0
  ROOT r = f32[4] negate(h)
})");
  Simplify(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter negate");
}

TEST(TupleSimplifierTest, LeavesControlDependenciesAlone) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  n = f32[4] negate(p)
  t = (f32[4]) tuple(p)
  g = f32[4] get-tuple-element(t), index=0, control-predecessors={n}
  ROOT r = f32[4] negate(g)
})");
  Simplify(module.get(), false);
}

}  // namespace
}  // namespace hlokit
