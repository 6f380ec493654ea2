#include "passes/backend/hlo_memory_scheduler.h"

#include "gtest/gtest.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/backend/hlo_trivial_scheduler.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

std::string OrderOf(const Module& module) {
  std::string text;
  for (const Instruction* i : module.schedule->at(module.entry())) {
    if (!text.empty()) text += " ";
    text.append(i->name().data(), i->name().size());
  }
  return text;
}

TEST(MemorySchedulerTest, FreesLargeValuesBeforeItMakesOthers) {
  // In print order all three broad values are alive at once.
  constexpr char kText[] = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[] parameter(0)
  z = f32[] constant(0)
  b1 = f32[1000] broadcast(p), dimensions={}
  s = f32[] sine(p)
  b2 = f32[1000] broadcast(s), dimensions={}
  c = f32[] cosine(p)
  b3 = f32[1000] broadcast(c), dimensions={}
  r1 = f32[] reduce(b1, z), dimensions={0}, to_apply=add
  r2 = f32[] reduce(b2, z), dimensions={0}, to_apply=add
  r3 = f32[] reduce(b3, z), dimensions={0}, to_apply=add
  ROOT t = (f32[], f32[], f32[]) tuple(r1, r2, r3)
})";
  auto module = TransformedBy<HloMemoryScheduler>(kText);
  const auto assignment = AssignBuffers(*module);
  ASSERT_TRUE(assignment.ok()) << assignment.status();
  EXPECT_LT(assignment->TempBytes(), 4200);
}

TEST(MemorySchedulerTest, KeepsControlDependencies) {
  auto module = TransformedBy<HloMemoryScheduler>(R"(
HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  b = f32[8] cosine(p)
  a = f32[8] sine(p), control-predecessors={b}
  ROOT r = f32[8] add(a, b)
})");
  EXPECT_EQ(OrderOf(*module), "p b a r");
}

TEST(MemorySchedulerTest, SchedulesWhatLoopsCall) {
  auto module = TransformedBy<HloMemoryScheduler>(R"(
HloModule m
cond { c = (s32[]) parameter(0) n = s32[] get-tuple-element(c), index=0
  ten = s32[] constant(10) ROOT less = pred[] compare(n, ten), direction=LT }
body { b = (s32[]) parameter(0) m = s32[] get-tuple-element(b), index=0
  one = s32[] constant(1) m1 = s32[] add(m, one)
  ROOT r = (s32[]) tuple(m1) }
ENTRY e {
  zero = s32[] constant(0)
  init = (s32[]) tuple(zero)
  w = (s32[]) while(init), condition=cond, body=body
  ROOT a = s32[] get-tuple-element(w), index=0
})");
  EXPECT_EQ(module->schedule->size(), 3u);
}

TEST(MemorySchedulerTest, LeavesTheBestOrderAlone) {
  auto module = ParseOrDie(R"(
HloModule m
ENTRY e { p = f32[8] parameter(0) ROOT a = f32[8] sine(p) })");
  ASSERT_TRUE(HloTrivialScheduler().Run(module.get()).ok());
  HloMemoryScheduler scheduler;
  RunPass(&scheduler, module.get(), false);
}

}  // namespace
}  // namespace hlokit
