#include "passes/expand/topk_decomposer.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(TopKDecomposerTest, SortsWithPositionsAndCuts) {
  auto module = TransformedBy<TopKDecomposer>(R"(
ENTRY e {
  p = f32[3,10] parameter(0)
  ROOT r = (f32[3,4], s32[3,4]) topk(p), k=4, largest=true
})");
  EXPECT_EQ(CountOf(*module, Opcode::kTopK), 0);
  EXPECT_EQ(CountOf(*module, Opcode::kSort), 1);
}

TEST(TopKDecomposerTest, KeepsValuesOfTypesAndBothEnds) {
  for (const char* type : {"f16", "bf16", "f32", "f64", "s8", "u32", "s64"}) {
    for (const char* largest : {"true", "false"}) {
      for (const int k : {0, 1, 7}) {
        SCOPED_TRACE(absl::StrCat(type, " ", largest, " ", k));
        TransformedBy<TopKDecomposer>(absl::StrCat(
            "ENTRY e {\n p = ", type, "[2,7] parameter(0)\n ROOT r = (", type,
            "[2,", k, "], s32[2,", k, "]) topk(p), k=", k,
            ", largest=", largest, "\n}"));
      }
    }
  }
}

TEST(TopKDecomposerTest, PutsNaNFirstAndBreaksTiesByPosition) {
  TransformedBy<TopKDecomposer>(R"(
ENTRY e {
  p = f32[9] constant({1, nan, inf, -0.0, 0, 1, -inf, -nan, 1})
  ROOT r = (f32[9], s32[9]) topk(p), k=9, largest=true
})");
}

TEST(TopKDecomposerTest, TakesCustomCalls) {
  auto module = TransformedBy<TopKDecomposer>(R"(
c {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER
}
ENTRY e {
  p = f32[2,8] parameter(0)
  ROOT r = (f32[2,3], s32[2,3]) custom-call(p), custom_call_target="TopK",
    called_computations={c}
})");
  EXPECT_EQ(CountOf(*module, Opcode::kCustomCall), 0);
}

TEST(TopKDecomposerTest, LeavesOtherCallsAlone) {
  ExpectUnchangedBy<TopKDecomposer>(R"(
ENTRY e {
  p = f32[8] parameter(0)
  ROOT r = (f32[3], s32[3]) custom-call(p), custom_call_target="MyTopK"
})");
}

}  // namespace
}  // namespace hlokit
