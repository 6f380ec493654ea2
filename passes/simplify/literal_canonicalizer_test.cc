#include "passes/simplify/literal_canonicalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(LiteralCanonicalizerTest, EqualValuesLieInOnePlace) {
  auto module = ParseOrDie(R"(
ENTRY e {
  a = f32[3] constant({1, 2, 3})
  b = f32[3] constant({1, 2, 3})
  c = f32[3] constant({1, 2, 4})
  s = f32[3] add(a, b)
  ROOT t = f32[3] add(s, c)
})");
  LiteralCanonicalizer pass;
  RunPass(&pass, module.get(), false);
  const Computation& entry = *module->entry();
  EXPECT_EQ(entry.FindInstruction("a")->literal(),
            entry.FindInstruction("b")->literal());
  EXPECT_NE(entry.FindInstruction("a")->literal(),
            entry.FindInstruction("c")->literal());
}

}  // namespace
}  // namespace hlokit
