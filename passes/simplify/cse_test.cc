#include "passes/simplify/cse.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

void Cse(Module* module, bool changed) {
  CommonSubexpressionElimination cse;
  RunPass(&cse, module, changed);
}

TEST(CseTest, MergesEqualOperationsOnEqualOperands) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] exponential(p)
  b = f32[4] exponential(p)
  c = f32[4] add(a, b)
  d = f32[4] add(b, a)
  ROOT r = f32[4] multiply(c, d)
})");
  Cse(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "parameter exponential add multiply");
}

TEST(CseTest, MergesEqualConstants) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[2] constant({1, 2})
  b = f32[2] constant({1, 2})
  c = f32[2] constant({1, 3})
  d = f32[2] add(a, b)
  ROOT r = f32[2] add(d, c)
})");
  Cse(module.get(), true);
  EXPECT_EQ(EntryOpcodes(*module), "constant add constant add");
}

TEST(CseTest, TellsZerosOfDifferentSignApart) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(-0.0)
  ROOT r = f32[] add(a, b)
})");
  Cse(module.get(), false);
}

TEST(CseTest, TellsAttributesApart) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4,4] parameter(0)
  a = f32[4,4] transpose(p), dimensions={1,0}
  b = f32[4,4] transpose(p), dimensions={0,1}
  ROOT r = f32[4,4] add(a, b)
})");
  Cse(module.get(), false);
}

TEST(CseTest, MergesReductionsWhoseCombinersAreTheSame) {
  auto module = ParseOrDie(R"(
HloModule m
f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
g {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] add(u, v)
}
h {
  u = f32[] parameter(0)
  v = f32[] parameter(1)
  ROOT w = f32[] multiply(u, v)
}
ENTRY e {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  a = f32[] reduce(p, z), dimensions={0}, to_apply=f
  b = f32[] reduce(p, z), dimensions={0}, to_apply=g
  c = f32[] reduce(p, z), dimensions={0}, to_apply=h
  ROOT r = (f32[], f32[], f32[]) tuple(a, b, c)
})");
  Cse(module.get(), true);
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->operand(0), root->operand(1));
  EXPECT_NE(root->operand(0), root->operand(2));
}

TEST(CseTest, LeavesRandomNumbersApart) {
  auto module = ParseOrDie(R"(
ENTRY e {
  z = f32[] constant(0)
  o = f32[] constant(1)
  a = f32[4] rng(z, o), distribution=rng_uniform
  b = f32[4] rng(z, o), distribution=rng_uniform
  ROOT r = f32[4] add(a, b)
})");
  Cse(module.get(), false);
}

TEST(CseTest, IgnoresMetadata) {
  auto module = ParseOrDie(R"(
ENTRY e {
  p = f32[4] parameter(0)
  a = f32[4] sine(p), metadata={op_name="one"}
  b = f32[4] sine(p), metadata={op_name="two"}
  ROOT r = f32[4] add(a, b)
})");
  Cse(module.get(), true);
}

}  // namespace
}  // namespace hlokit
