#include "passes/simplify/convert_mover.h"

#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConvertMoverTest, WideningGoesDown) {
  auto module = TransformedBy<ConvertMover>(R"(
ENTRY e {
  x = bf16[6] parameter(0)
  y = bf16[6] parameter(1)
  a = f32[6] convert(x)
  b = f32[6] convert(y)
  c = f32[12] concatenate(a, b), dimensions={0}
  ROOT r = f32[3,4] reshape(c)
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter parameter concatenate reshape convert");
}

TEST(ConvertMoverTest, NarrowingGoesUp) {
  auto module = TransformedBy<ConvertMover>(R"(
ENTRY e {
  x = f32[6] parameter(0)
  a = f32[2,3] reshape(x)
  b = f32[3,2] transpose(a), dimensions={1,0}
  ROOT r = bf16[3,2] convert(b)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert reshape transpose");
}

TEST(ConvertMoverTest, LeavesConversionsThatOthersUse) {
  ExpectUnchangedBy<ConvertMover>(R"(
ENTRY e {
  x = bf16[6] parameter(0)
  a = f32[6] convert(x)
  b = f32[2,3] reshape(a)
  n = f32[6] negate(a)
  ROOT t = (f32[2,3], f32[6]) tuple(b, n)
})");
}

// A conversion at the end of a chain of moves goes to its start.
TEST(ConvertMoverTest, LongChainsOfMovesTakeTimeByTheirLength) {
  constexpr int kLength = 10'000;
  std::string text = "ENTRY e {\n m0 = f32[2,3] parameter(0)\n";
  for (int k = 1; k <= kLength; ++k) {
    absl::StrAppend(&text, " t", k, " = f32[3,2] transpose(m", k - 1,
                    "), dimensions={1,0}\n m", k, " = f32[2,3] reshape(t", k,
                    ")\n");
  }
  auto module = ParseOrDie(absl::StrCat(
      text, " ROOT r = bf16[2,3] convert(m", kLength, ")\n}\n"));
  ASSERT_NE(module, nullptr);
  const std::clock_t start = std::clock();
  ConvertMover pass;
  EXPECT_TRUE(*pass.Run(module.get()));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
  EXPECT_NE(module->entry()->root()->opcode(), Opcode::kConvert);
}

}  // namespace
}  // namespace hlokit
