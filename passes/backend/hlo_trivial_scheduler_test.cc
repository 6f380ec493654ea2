#include "passes/backend/hlo_trivial_scheduler.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(TrivialSchedulerTest, SchedulesEveryComputation) {
  auto module = TransformedBy<HloTrivialScheduler>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f { a = f32[2] parameter(0) ROOT r = f32[2] sine(a) }
ENTRY e {
  x = f32[2] parameter(0)
  z = f32[] constant(0)
  c = f32[2] call(x), to_apply=f
  ROOT s = f32[] reduce(c, z), dimensions={0}, to_apply=add
})");
  ASSERT_TRUE(module->is_scheduled());
  EXPECT_EQ(module->schedule->size(), 3u);
  EXPECT_EQ(module->schedule->at(module->entry()).size(), 4u);
}

TEST(TrivialSchedulerTest, LeavesAScheduleThatIsThere) {
  ExpectUnchangedBy<HloTrivialScheduler>(R"(
HloModule m, is_scheduled=true
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
}

}  // namespace
}  // namespace hlokit
