#include "passes/expand/emitter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"
#include "hlo/verify/verifier.h"

namespace hlokit {
namespace {

// The sum of 0, 1, ..., n - 1, in a loop that stops by itself.
TEST(EmitterTest, LoopsCountTheirSteps) {
  auto module = ParseOrDie("ENTRY e {\n ROOT r = s32[] constant(0)\n}");
  Emitter e(module->entry()->root());
  Instruction* sum =
      e.For("count", 5, {module->entry()->root()},
            [](Emitter& b, Instruction* i, const Values& s) -> Values {
              return {b.Add(s[0], i)};
            })[0];
  module->entry()->set_root(sum);
  ASSERT_TRUE(VerifyModule(*module).ok()) << VerifyModule(*module);
  const auto value = ExecuteModule(*module, {});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->First<int32_t>(), 10);
}

TEST(EmitterTest, ScalarsAreBroadcastToTheOtherOperand) {
  auto module = ParseOrDie("ENTRY e {\n ROOT r = f32[2,3] parameter(0)\n}");
  Emitter e(module->entry()->root());
  Instruction* x = module->entry()->root();
  Instruction* y = e.Divide(e.Scalar(kF32, 1), e.Add(x, 1));
  EXPECT_EQ(y->shape().ToString(false), "f32[2,3]");
}

// (a, b) -> a + 2 b as a fragment with a constant.
constexpr char kFunction[] = R"(
f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  two = f32[] constant(2)
  m = f32[] multiply(b, two)
  ROOT r = f32[] add(a, m)
}
ENTRY e {
  p = f32[3] parameter(0)
  q = bf16[3] parameter(1)
  ROOT r = f32[3] negate(p)
})";

TEST(EmitterTest, AppliesScalarFunctionsToArrays) {
  auto module = ParseOrDie(kFunction);
  Computation* entry = module->entry();
  Emitter e(entry->root());
  const Values result = e.Apply(module->FindComputation("f"),
                                {entry->parameter(0), entry->parameter(1)});
  ASSERT_EQ(result.size(), 1u);
  entry->set_root(result[0]);
  EXPECT_EQ(result[0]->shape().ToString(false), "f32[3]");
  EXPECT_TRUE(VerifyModule(*module).ok()) << VerifyModule(*module);
  EXPECT_EQ(CountOf(*module, Opcode::kMap), 0);
}

}  // namespace
}  // namespace hlokit
