#include "passes/simplify/hlo_constant_splitter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConstantSplitterTest, EveryUserGetsItsOwn) {
  auto module = TransformedBy<HloConstantSplitter>(R"(
ENTRY e {
  x = f32[] parameter(0)
  c = f32[] constant(2)
  a = f32[] add(x, c)
  b = f32[] multiply(c, c)
  ROOT r = f32[] subtract(a, b)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kConstant), 2);
}

TEST(ConstantSplitterTest, LeavesArraysAndSingleUsers) {
  ExpectUnchangedBy<HloConstantSplitter>(R"(
ENTRY e {
  c = f32[2] constant({1, 2})
  a = f32[2] sine(c)
  ROOT r = f32[2] add(a, c)
})");
}

}  // namespace
}  // namespace hlokit
