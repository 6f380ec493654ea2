#include "passes/expand/stochastic_convert_decomposer.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(StochasticConvertDecomposerTest, KeepsValues) {
  const char* const types[][3] = {
      {"f32", "u32", "s8"},  {"f32", "u32", "s32"}, {"f16", "u16", "s8"},
      {"bf16", "u16", "s16"}, {"f64", "u64", "s64"}, {"f64", "u64", "s32"},
  };
  for (const auto& [from, bits, to] : types) {
    SCOPED_TRACE(absl::StrCat(from, " -> ", to));
    auto module = TransformedBy<StochasticConvertDecomposer>(absl::StrCat(
        "ENTRY e {\n p = ", from, "[64] parameter(0)\n q = ", bits,
        "[64] parameter(1)\n ROOT r = ", to,
        "[64] stochastic-convert(p, q)\n}"));
    EXPECT_EQ(CountOf(*module, Opcode::kStochasticConvert), 0);
  }
}

TEST(StochasticConvertDecomposerTest, RoundsUpWhereTheRandomNumberIsSmall) {
  TransformedBy<StochasticConvertDecomposer>(R"(
ENTRY e {
  p = f32[10] constant({2.25, 2.25, -2.25, -2.25, 127.5, 127.5, -128.5, 3,
    2.25, 0.5})
  q = u32[10] constant({1073741823, 1073741824, 1073741823, 1073741824, 0,
    4294967295, 0, 0, 4294967295, 2147483647})
  ROOT r = s8[10] stochastic-convert(p, q)
})");
}

TEST(StochasticConvertDecomposerTest, SaturatesAndKnowsNoNaN) {
  TransformedBy<StochasticConvertDecomposer>(R"(
ENTRY e {
  p = f32[7] constant({inf, -inf, nan, 1e30, -1e30, 2147483648, -2147483648})
  q = u32[7] constant({0, 0, 0, 5, 6, 7, 8})
  ROOT r = s32[7] stochastic-convert(p, q)
})");
}

TEST(StochasticConvertDecomposerTest, LeavesConvertAlone) {
  ExpectUnchangedBy<StochasticConvertDecomposer>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT r = s8[4] convert(p)
})");
}

}  // namespace
}  // namespace hlokit
