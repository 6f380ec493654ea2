#include "passes/patterns.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

using match::Any;
using match::Commutative;
using match::Full;
using match::Op;
using match::Same;

constexpr char kModule[] = R"(
ENTRY e {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  ones = f32[4] constant({1, 1, 1, 1})
  mixed = f32[4] constant({1, 1, 1, 2})
  minus = f32[] constant(-0)
  sum = f32[4] add(zeros, x)
  square = f32[4] multiply(x, x)
  product = f32[4] multiply(x, ones)
  ROOT t = (f32[4], f32[4], f32[4], f32[4], f32[]) tuple(sum, square, product, mixed, minus)
})";

TEST(PatternTest, MatchesOperandsInEitherOrder) {
  auto module = ParseOrDie(kModule);
  Instruction* sum = module->entry()->FindInstruction("sum");
  Instruction* x = nullptr;
  EXPECT_TRUE(Match(sum, Commutative(Opcode::kAdd, Any(&x), Full(0))));
  EXPECT_EQ(x->name(), "x");
  EXPECT_FALSE(Match(sum, Op(Opcode::kAdd, Any(), Full(0))));
  EXPECT_FALSE(Match(sum, Op(Opcode::kMultiply, Any(), Any())));
}

TEST(PatternTest, SameMeansTheInstructionBoundBefore) {
  auto module = ParseOrDie(kModule);
  Instruction* x = nullptr;
  EXPECT_TRUE(Match(module->entry()->FindInstruction("square"),
                    Op(Opcode::kMultiply, Any(&x), Same(&x))));
  EXPECT_FALSE(Match(module->entry()->FindInstruction("product"),
                     Op(Opcode::kMultiply, Any(&x), Same(&x))));
}

TEST(PatternTest, FullLooksThroughBroadcastsAndKnowsTheSignOfZero) {
  auto module = ParseOrDie(kModule);
  auto find = [&](const char* name) {
    return module->entry()->FindInstruction(name);
  };
  EXPECT_TRUE(IsFull(find("zeros"), 0));
  EXPECT_TRUE(IsFull(find("ones"), 1));
  EXPECT_FALSE(IsFull(find("mixed"), 1));
  EXPECT_FALSE(IsFull(find("minus"), 0));
  EXPECT_FALSE(IsFull(find("x"), 0));
  EXPECT_EQ(ScalarOfFull(find("ones"))->GetAsDouble(0), 1);
  EXPECT_FALSE(ScalarOfFull(find("mixed")).has_value());
}

TEST(IsAllTest, IsExactAboutTypes) {
  EXPECT_TRUE(IsAll(Literal::ScalarOfInt(kU8, 255), 255));
  EXPECT_FALSE(IsAll(Literal::ScalarOfInt(kU8, 255), -1));
  EXPECT_TRUE(IsAll(Literal::ScalarOfInt(kPred, 1), 1));
  EXPECT_FALSE(IsAll(Literal::ScalarOfInt(kS32, 1), 1.5));
  EXPECT_FALSE(IsAll(Literal::Array<float>({0}, {}), 1));
}

}  // namespace
}  // namespace hlokit
