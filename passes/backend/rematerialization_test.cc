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
