#include "passes/backend/rematerialization.h"

#include "gtest/gtest.h"
#include "passes/analysis/liveness.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kText[] = R"(
HloModule m, is_scheduled=true
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  s = f32[] parameter(0)
  x = f32[1000] parameter(1)
  z = f32[] constant(0)
  b = f32[1000] broadcast(s), dimensions={}
  u = f32[1000] add(b, x)
  r1 = f32[] reduce(u, z), dimensions={0}, to_apply=add
  v = f32[1000] sine(x)
  w = f32[1000] reverse(v), dimensions={0}
  r2 = f32[] reduce(w, z), dimensions={0}, to_apply=add
  c = f32[1000] multiply(b, x)
  r3 = f32[] reduce(c, z), dimensions={0}, to_apply=add
  ROOT t = (f32[], f32[], f32[]) tuple(r1, r2, r3)
})";

TEST(RematerializationTest, ComputesBroadcastsAgain) {
  auto before = ParseOrDie(kText);
  auto module = TransformedBy<Rematerialization>(kText);
  EXPECT_EQ(CountOf(*module, Opcode::kBroadcast), 2);
  EXPECT_LT(MemoryUseOf(*module).peak, MemoryUseOf(*before).peak);
}

// The body of a loop, where the counter is written over.
constexpr char kLoop[] = R"(
HloModule m, is_scheduled=true
body {
  p = (s32[], f32[1000], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1000] get-tuple-element(p), index=1
  s = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  c = f32[] constant(3)
  b = f32[1000] broadcast(c), dimensions={}
  u = f32[1000] add(b, x)
  v = f32[1000] reverse(u), dimensions={0}
  w = f32[1000] reverse(v), dimensions={0}
  a = f32[1000] add(v, w)
  y = f32[1000] multiply(a, b)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[1000], f32[]) tuple(j, y, s)
}
cond {
  p = (s32[], f32[1000], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  z = s32[] constant(0)
  x = f32[1000] parameter(0)
  s = f32[] parameter(1)
  init = (s32[], f32[1000], f32[]) tuple(z, x, s)
  ROOT l = (s32[], f32[1000], f32[]) while(init), body=body, condition=cond
})";

TEST(RematerializationTest, WorksInLoops) {
  auto before = ParseOrDie(kLoop);
  const MemoryUse use = MemoryUseOf(*before);
  ASSERT_EQ(use.path.size(), 2u);
  EXPECT_EQ(use.path[1]->parent()->name(), "body");
  auto module = TransformedBy<Rematerialization>(kLoop);
  EXPECT_EQ(CountOf(*module, Opcode::kBroadcast), 2);
  EXPECT_LT(MemoryUseOf(*module).peak, use.peak);
}

// The broadcast number is part of the state: nobody knows when it is written
// over.
TEST(RematerializationTest, ReadsTheStateOfLoopsNoLater) {
  std::string text = kLoop;
  text.replace(text.find("broadcast(c)"), 12, "broadcast(s)");
  text.replace(text.find("tuple(j, y, s)"), 14, "tuple(j, y, c)");
  ExpectUnchangedBy<Rematerialization>(text);
}

TEST(RematerializationTest, StopsAtTheLimit) {
  Rematerialization pass(1'000'000);
  ExpectUnchanged(&pass, kText);
}

TEST(RematerializationTest, LeavesModulesWithoutSchedule) {
  std::string text = kText;
  text.replace(text.find(", is_scheduled=true"), 19, "");
  ExpectUnchangedBy<Rematerialization>(text);
}

}  // namespace
}  // namespace hlokit
