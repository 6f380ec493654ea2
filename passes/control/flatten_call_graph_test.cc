#include "passes/control/flatten_call_graph.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(FlattenCallGraphTest, CopiesWhatIsCalledTwiceAndWhatThatCalls) {
  auto module = TransformedBy<FlattenCallGraph>(R"(
HloModule m
inner { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
outer { x = f32[2] parameter(0) ROOT c = f32[2] call(x), to_apply=inner }
ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=outer
  ROOT b = f32[2] call(a), to_apply=outer
})");
  EXPECT_EQ(module->computation_count(), 5);
  for (const auto& c : module->computations()) {
    EXPECT_LE(c->call_site_count(), 1);
  }
}

TEST(FlattenCallGraphTest, SeparatesTheBranchesOfAConditional) {
  auto module = TransformedBy<FlattenCallGraph>(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
ENTRY e {
  p = f32[2] parameter(0)
  b = pred[] parameter(1)
  ROOT r = f32[2] conditional(b, p, p), true_computation=f, false_computation=f
})");
  EXPECT_EQ(module->computation_count(), 3);
}

TEST(FlattenCallGraphTest, CopiesHaveFusionBodiesOfTheirOwn) {
  auto module = TransformedBy<FlattenCallGraph>(R"(
HloModule m
inner { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
body {
  x = f32[2] parameter(0)
  ROOT f = f32[2] fusion(x), kind=kLoop, calls=inner
}
ENTRY e {
  p = f32[2] parameter(0)
  a = f32[2] call(p), to_apply=body
  b = f32[2] call(a), to_apply=body
  ROOT c = f32[2] call(b), to_apply=body
})");
  EXPECT_EQ(module->computation_count(), 7);
  for (const auto& c : module->computations()) {
    EXPECT_LE(c->call_site_count(), 1) << c->name();
  }
}

TEST(FlattenCallGraphTest, LeavesReducersShared) {
  ExpectUnchangedBy<FlattenCallGraph>(R"(
HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e {
  p = f32[2,3] parameter(0)
  z = f32[] constant(0)
  a = f32[2] reduce(p, z), dimensions={1}, to_apply=add
  ROOT b = f32[] reduce(a, z), dimensions={0}, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
