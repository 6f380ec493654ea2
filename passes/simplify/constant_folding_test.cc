#include "passes/simplify/constant_folding.h"

#include "gtest/gtest.h"
#include "passes/constant_evaluator.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConstantFoldingTest, FoldsChains) {
  auto module = TransformedBy<ConstantFolding>(R"(
ENTRY e {
  a = f32[2] constant({1, 2})
  b = f32[2] constant({3, 5})
  s = f32[2] add(a, b)
  n = f32[2] negate(s)
  p = f32[2] parameter(0)
  ROOT r = f32[2] multiply(n, p)
})");
  EXPECT_EQ(EntryOpcodes(*module), "constant parameter multiply");
  EXPECT_EQ(module->entry()->root()->operand(0)->literal()->ToString(),
            "{-4, -7}");
}

TEST(ConstantFoldingTest, FoldsReductionsAndTheRoot) {
  auto module = TransformedBy<ConstantFolding>(R"(
HloModule m
add { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }
ENTRY e {
  a = s32[3] constant({1, 2, 7})
  z = s32[] constant(0)
  ROOT r = s32[] reduce(a, z), dimensions={0}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module), "constant");
}

TEST(ConstantFoldingTest, LeavesWhatOnlyGrows) {
  ExpectUnchangedBy<ConstantFolding>(R"(
ENTRY e {
  a = f32[] constant(1)
  b = f32[100000] broadcast(a), dimensions={}
  i = f32[4] iota(), iota_dimension=0
  z = f32[1] constant({2})
  c = f32[40000] pad(z, a), padding=0_39999
  ROOT t = (f32[100000], f32[4], f32[40000]) tuple(b, i, c)
})");
}

TEST(ConstantFoldingTest, LeavesRandomNumbersAndControlDependencies) {
  ExpectUnchangedBy<ConstantFolding>(R"(
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(1)
  u = f32[4] rng(a, b), distribution=rng_uniform
  n = f32[] negate(a), control-predecessors={u}
  ROOT t = (f32[4], f32[]) tuple(u, n)
})");
}

TEST(ConstantFoldingTest, DoesNothingWithoutAnEvaluator) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[] constant(1)
  ROOT n = f32[] negate(a)
})");
  SetConstantEvaluator(nullptr);
  ConstantFolding pass;
  EXPECT_FALSE(*pass.Run(module.get()));
  UseInterpreterForConstants();
  EXPECT_TRUE(*pass.Run(module.get()));
}

}  // namespace
}  // namespace hlokit
