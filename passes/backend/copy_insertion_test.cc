#include "passes/backend/copy_insertion.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hlo/print/printer.h"
#include "passes/analysis/buffer_assignment.h"
#include "passes/analysis/buffer_check.h"
#include "passes/backend/hlo_memory_scheduler.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

// Schedules, assigns buffers and acts the program out.
void ExpectSound(const Module& module) {
  auto copy = module.Clone();
  if (!copy->is_scheduled()) {
    ASSERT_TRUE(HloMemoryScheduler().Run(copy.get()).ok());
  }
  const auto assignment = AssignBuffers(*copy);
  ASSERT_TRUE(assignment.ok()) << assignment.status() << ToString(*copy);
  for (int seed = 0; seed < 10; ++seed) {
    const absl::Status status = CheckBuffers(*copy, *assignment, seed);
    EXPECT_TRUE(status.ok()) << status << ToString(*copy);
  }
}

// The copies that the pass makes. 0: it changes nothing.
int64_t Copies(absl::string_view text) {
  auto module = ParseOrDie(text);
  CopyInsertion pass;
  const auto changed = pass.Run(module.get());
  EXPECT_TRUE(changed.ok()) << changed.status();
  ExpectSameValues(text, *module);
  RunPass(&pass, module.get(), false);
  ExpectSound(*module);
  return CountOf(*module, Opcode::kCopy);
}

TEST(CopyInsertionTest, UpdatesOfWhatIsStillNeededWorkOnACopy) {
  // s may read a before d is made, but takes both.
  EXPECT_EQ(Copies(R"(
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  a = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(a, u, i)
  ROOT s = f32[8] add(a, d)
})"), 1);
}

TEST(CopyInsertionTest, UpdatesComeAfterOtherReadersInsteadOfACopy) {
  constexpr char kText[] = R"(
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  a = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(a, u, i)
  s = f32[8] sine(a)
  ROOT t = f32[8] add(s, d)
})";
  EXPECT_EQ(Copies(kText), 0);
  auto module = TransformedBy<CopyInsertion>(kText);
  const Instruction* d = module->entry()->FindInstruction("d");
  ASSERT_EQ(d->control_predecessors().size(), 1u);
  EXPECT_EQ(d->control_predecessors()[0]->name(), "s");
}

TEST(CopyInsertionTest, ScheduledModulesGetCopiesWhereTheScheduleAsks) {
  const std::string text = R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  a = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(a, u, i)
  s = f32[8] sine(a)
  ROOT t = f32[8] add(s, d)
})";
  EXPECT_EQ(Copies(text), 1);
}

TEST(CopyInsertionTest, ParametersAndConstantsAreNotUpdated) {
  EXPECT_EQ(Copies(R"(
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] constant(0)
  c = f32[4] constant({1, 2, 3, 4})
  d = f32[8] dynamic-update-slice(p, u, i)
  f = f32[4] dynamic-update-slice(c, u, i)
  ROOT t = (f32[8], f32[4]) tuple(d, f)
})"), 2);
}

TEST(CopyInsertionTest, ResultsAreBuffersOfTheirOwn) {
  // A parameter, a constant, one value twice.
  EXPECT_EQ(Copies(R"(
ENTRY e {
  p = f32[8] parameter(0)
  c = s32[] constant(3)
  a = f32[8] sine(p)
  ROOT t = (f32[8], s32[], f32[8], f32[8]) tuple(p, c, a, a)
})"), 3);
  EXPECT_EQ(Copies("ENTRY e { ROOT p = f32[8] parameter(0) }"), 1);
  EXPECT_EQ(Copies("ENTRY e { p = f32[8] parameter(0) "
                   "ROOT a = f32[8] sine(p) }"), 0);
}

TEST(CopyInsertionTest, AliasedResultsTakeTheirParametersPlace) {
  EXPECT_EQ(Copies(R"(
HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY e {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  a = f32[8] add(p, q)
  b = f32[8] sine(q)
  ROOT t = (f32[8], f32[8]) tuple(a, b)
})"), 0);
  // Results change places: what each reads is written over by the other.
  EXPECT_EQ(Copies(R"(
HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY e {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  ROOT t = (f32[8], f32[8]) tuple(q, p)
})"), 3);
  // Passed through: nothing to do.
  EXPECT_EQ(Copies(R"(
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { ROOT p = f32[8] parameter(0) })"), 0);
}

std::string Loop(absl::string_view body, absl::string_view entry) {
  return absl::StrCat(R"(
HloModule m
cond {
  c = (s32[], f32[8], f32[8]) parameter(0)
  n = s32[] get-tuple-element(c), index=0
  three = s32[] constant(3)
  ROOT less = pred[] compare(n, three), direction=LT
}
body {
  b = (s32[], f32[8], f32[8]) parameter(0)
  m = s32[] get-tuple-element(b), index=0
  x = f32[8] get-tuple-element(b), index=1
  y = f32[8] get-tuple-element(b), index=2
  one = s32[] constant(1)
  m1 = s32[] add(m, one)
)", body, R"(
}
ENTRY e {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  u = f32[8] sine(p)
  v = f32[8] cosine(p)
  zero = s32[] constant(0)
)", entry, R"(
})");
}

constexpr char kPlainEntry[] = R"(
  init = (s32[], f32[8], f32[8]) tuple(zero, u, v)
  w = (s32[], f32[8], f32[8]) while(init), condition=cond, body=body
  a = f32[8] get-tuple-element(w), index=1
  z = f32[8] get-tuple-element(w), index=2
  ROOT s = f32[8] add(a, z))";

TEST(CopyInsertionTest, LoopsCopyOnlyWhatTheyMust) {
  // Only the counter's constant.
  EXPECT_EQ(Copies(Loop(R"(
  x1 = f32[8] sine(x)
  y1 = f32[8] add(y, x)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, x1, y1))", kPlainEntry)), 1);
  // y is not changed, so that it may be a parameter.
  EXPECT_EQ(Copies(Loop(R"(
  x1 = f32[8] add(x, y)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, x1, y))", R"(
  init = (s32[], f32[8], f32[8]) tuple(zero, u, q)
  w = (s32[], f32[8], f32[8]) while(init), condition=cond, body=body
  ROOT a = f32[8] get-tuple-element(w), index=1)")), 1);
  // The initial value is needed after the loop.
  EXPECT_EQ(Copies(Loop(R"(
  x1 = f32[8] add(x, y)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, x1, y))", R"(
  init = (s32[], f32[8], f32[8]) tuple(zero, u, q)
  w = (s32[], f32[8], f32[8]) while(init), condition=cond, body=body
  a = f32[8] get-tuple-element(w), index=1
  ROOT s = f32[8] add(a, u))")), 2);
}

TEST(CopyInsertionTest, LoopsThatSwapCopyAtTheEnd) {
  // Counter, and a round of two with one copy more.
  EXPECT_EQ(Copies(Loop(R"(
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, y, x))", kPlainEntry)), 4);
  // The new x is y as it was.
  EXPECT_EQ(Copies(Loop(R"(
  y1 = f32[8] sine(y)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, y, y1))", kPlainEntry)), 3);
  // One value for two places.
  EXPECT_EQ(Copies(Loop(R"(
  y1 = f32[8] sine(y)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, y1, y1))", kPlainEntry)), 2);
}

TEST(CopyInsertionTest, OneInitialValueForTwoPlacesIsCopiedOnce) {
  EXPECT_EQ(Copies(Loop(R"(
  x1 = f32[8] sine(x)
  y1 = f32[8] cosine(y)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, x1, y1))", R"(
  init = (s32[], f32[8], f32[8]) tuple(zero, u, u)
  w = (s32[], f32[8], f32[8]) while(init), condition=cond, body=body
  a = f32[8] get-tuple-element(w), index=1
  z = f32[8] get-tuple-element(w), index=2
  ROOT s = f32[8] add(a, z))")), 2);
}

TEST(CopyInsertionTest, LoopsUpdateTheirStateInPlace) {
  EXPECT_EQ(Copies(Loop(R"(
  part = f32[2] slice(y), slice={[0:2]}
  x1 = f32[8] dynamic-update-slice(x, part, m)
  ROOT r = (s32[], f32[8], f32[8]) tuple(m1, x1, y))", kPlainEntry)), 1);
}

TEST(CopyInsertionTest, BranchesWriteOneResult) {
  EXPECT_EQ(Copies(R"(
HloModule m
t { a = f32[8] parameter(0) ROOT x = f32[8] sine(a) }
f { b = f32[8] parameter(0) ROOT y = f32[8] cosine(b) }
ENTRY e {
  i = pred[] parameter(0)
  p = f32[8] parameter(1)
  ROOT w = f32[8] conditional(i, p, p), true_computation=t, false_computation=f
})"), 0);
  // Handed through, a constant, one value twice.
  EXPECT_EQ(Copies(R"(
HloModule m
t { a = f32[8] parameter(0) z = s32[] constant(0)
    s = f32[8] sine(a)
    ROOT x = (f32[8], s32[], f32[8]) tuple(s, z, s) }
f { b = f32[8] parameter(0) one = s32[] constant(1) k = s32[] negate(one)
    c = f32[8] cosine(b)
    ROOT y = (f32[8], s32[], f32[8]) tuple(b, k, c) }
ENTRY e {
  i = pred[] parameter(0)
  p = f32[8] parameter(1)
  ROOT w = (f32[8], s32[], f32[8]) conditional(i, p, p), true_computation=t,
      false_computation=f
})"), 3);
}

TEST(CopyInsertionTest, SharedComputationsAreSeparatedFirst) {
  auto module = TransformedBy<CopyInsertion>(R"(
HloModule m
f { a = f32[8] parameter(0) ROOT x = f32[8] sine(a) }
ENTRY e {
  p = f32[8] parameter(0)
  u = f32[8] call(p), to_apply=f
  ROOT v = f32[8] call(u), to_apply=f
})");
  EXPECT_EQ(module->computation_count(), 3);
  ExpectSound(*module);
}

}  // namespace
}  // namespace hlokit
