#include "passes/types/element_type_converter.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ElementTypeConverterTest, ConvertsMovesAsWell) {
  auto module = TransformedBy<ElementTypeConverter>(R"(
ENTRY e {
  x = bf16[4] parameter(0)
  r = bf16[4] reverse(x), dimensions={0}
  ROOT s = bf16[4] add(x, r)
})");
  for (const Instruction* i : module->entry()->instructions()) {
    if (i->opcode() == Opcode::kReverse || i->opcode() == Opcode::kAdd) {
      EXPECT_EQ(i->shape().element_type(), kF32);
    }
  }
}

TEST(ElementTypeConverterTest, LeavesOtherTypes) {
  ExpectUnchangedBy<ElementTypeConverter>(R"(
ENTRY e { x = f16[4] parameter(0) ROOT s = f16[4] add(x, x) })");
}

}  // namespace
}  // namespace hlokit
