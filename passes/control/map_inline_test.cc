#include "passes/control/map_inline.h"

#include "gtest/gtest.h"
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

}  // namespace
}  // namespace hlokit
