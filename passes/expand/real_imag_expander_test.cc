#include "passes/expand/real_imag_expander.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(RealImagExpanderTest, RealOfARealNumberIsIt) {
  auto module = TransformedBy<RealImagExpander>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = f32[4] real(p)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter");
}

TEST(RealImagExpanderTest, ImagOfARealNumberIsZero) {
  auto module = TransformedBy<RealImagExpander>(R"(
ENTRY e {
  p = f64[2,3] parameter(0)
  ROOT r = f64[2,3] imag(p)
})");
  EXPECT_EQ(CountOf(*module, Opcode::kImag), 0);
  EXPECT_EQ(module->entry()->root()->opcode(), Opcode::kBroadcast);
}

TEST(RealImagExpanderTest, LeavesComplexNumbersAlone) {
  ExpectUnchangedBy<RealImagExpander>(R"(
ENTRY e {
  p = c64[4] parameter(0)
  a = f32[4] real(p)
  b = f32[4] imag(p)
  ROOT r = f32[4] add(a, b)
})");
}

}  // namespace
}  // namespace hlokit
