#include "passes/expand/reduce_window_resizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReduceWindowResizerTest, ListsBecomeColumns) {
  auto module = TransformedBy<ReduceWindowResizer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[20] parameter(0)
  z = f32[] constant(0)
  ROOT w = f32[10] reduce-window(x, z), window={size=5 stride=2 pad=2_2}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape constant reduce-window reshape");
  const Instruction* window = module->entry()->root()->operand(0);
  EXPECT_EQ(window->window()->dimensions[1], WindowDimension());
}

TEST(ReduceWindowResizerTest, SeveralArraysAtOnce) {
  auto module = TransformedBy<ReduceWindowResizer>(R"(
HloModule m
f {
  a = f32[] parameter(0) b = s32[] parameter(1)
  c = f32[] parameter(2) d = s32[] parameter(3)
  s = f32[] add(a, c)
  t = s32[] maximum(b, d)
  ROOT r = (f32[], s32[]) tuple(s, t)
}
ENTRY e {
  x = f32[9] parameter(0)
  y = s32[9] parameter(1)
  z = f32[] constant(0)
  o = s32[] constant(0)
  ROOT w = (f32[7], s32[7]) reduce-window(x, y, z, o), window={size=3}, to_apply=f
})");
  EXPECT_EQ(CountOf(*module, Opcode::kReshape), 4);
}

TEST(ReduceWindowResizerTest, LeavesMatrices) {
  ExpectUnchangedBy<ReduceWindowResizer>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,4] parameter(0)
  z = f32[] constant(0)
  ROOT w = f32[4,4] reduce-window(x, z), window={size=1x3 pad=0_0x1_1}, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
