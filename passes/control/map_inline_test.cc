#include "passes/control/map_inline.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analysis/expanded_size.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(MapInlineTest, AppliesTheComputationToWholeArrays) {
  auto module = TransformedBy<MapInline>(R"(
HloModule m
f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  c = f32[] constant(3)
  s = f32[] add(x, c)
  l = pred[] compare(s, y), direction=LT
  ROOT r = f32[] select(l, s, y)
}
ENTRY e {
  p = f32[2,3] parameter(0)
  q = f32[2,3] parameter(1)
  ROOT m = f32[2,3] map(p, q), dimensions={0,1}, to_apply=f
})");
  EXPECT_EQ(CountOf(*module, Opcode::kMap), 0);
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter constant broadcast add parameter compare select");
}

// Maps that double at every level are put in up to a limit only.
TEST(MapInlineTest, NestedMapsGrowTheModuleToALimitOnly) {
  std::string text = "k0 { p = f32[] parameter(0) ROOT r = f32[] negate(p) }\n";
  for (int k = 1; k <= 40; ++k) {
    absl::StrAppend(&text, "k", k, " { p = f32[] parameter(0) q = f32[] ",
                    "map(p), to_apply=k", k - 1,
                    " ROOT r = f32[] map(q), to_apply=k", k - 1, " }\n");
  }
  auto module = ParseOrDie(text + "ENTRY e { p = f32[4] parameter(0) ROOT r = "
                                  "f32[4] map(p), dimensions={0}, "
                                  "to_apply=k40 }");
  ASSERT_NE(module, nullptr);
  MapInline pass;
  ASSERT_TRUE(pass.Run(module.get()).ok());
  EXPECT_LT(module->instruction_count(), 2 * kMaxInlinedInstructions);
  EXPECT_GT(CountOf(*module, Opcode::kMap), 0);
}

TEST(MapInlineTest, AMapThatOnlyForwardsIsItsOperand) {
  auto module = TransformedBy<MapInline>(R"(
HloModule m
f { x = f32[] parameter(0) ROOT y = f32[] parameter(1) }
ENTRY e {
  p = f32[2] parameter(0)
  q = f32[2] parameter(1)
  ROOT m = f32[2] map(p, q), dimensions={0}, to_apply=f
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter");
}

TEST(MapInlineTest, LeavesWhatHasNoArrayForm) {
  ExpectUnchangedBy<MapInline>(R"(
HloModule m
g { x = f32[] parameter(0) ROOT n = f32[] negate(x) }
f { x = f32[] parameter(0) ROOT c = f32[] call(x), to_apply=g }
ENTRY e {
  p = f32[2] parameter(0)
  ROOT m = f32[2] map(p), dimensions={0}, to_apply=f
})");
}

TEST(MapInlineTest, LeavesBodiesOfAnotherTypeAlone) {
  ExpectUnchangedBy<MapInline>(R"(
HloModule m
f { x = f16[] parameter(0) ROOT n = f16[] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  ROOT m = f32[2] map(p), dimensions={0}, to_apply=f
})");
}

}  // namespace
}  // namespace hlokit
