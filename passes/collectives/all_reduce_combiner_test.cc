#include "passes/collectives/all_reduce_combiner.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr int64_t kMany = std::numeric_limits<int64_t>::max();

AllReduceCombiner Combiner(int64_t bytes = kMany, int64_t count = 256) {
  return AllReduceCombiner("all-reduce-combiner", bytes, count);
}

// Two reducers that do the same and one that does something else.
constexpr char kReducers[] = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(b, a) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
)";

std::string Program(absl::string_view body) {
  return absl::StrCat(kReducers, "ENTRY e {", body, "}");
}

TEST(AllReduceCombinerTest, CombinesWhatReducesAlike) {
  AllReduceCombiner pass = Combiner();
  auto module = Transformed(&pass, Program(R"(
  x = f32[8] parameter(0)
  y = f32[4] parameter(1)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[4] all-reduce(y), to_apply=sum, replica_groups={}
  ROOT t = (f32[8], f32[4]) tuple(a, b))"));
  EXPECT_EQ(CountOf(*module, Opcode::kAllReduce), 1);
  EXPECT_EQ(module->entry()->root()->operand(1)->tuple_index(), 1);
  EXPECT_EQ(module->FindComputation("sum"), nullptr);
}

TEST(AllReduceCombinerTest, LeavesOtherOperationsTypesAndGroups) {
  AllReduceCombiner pass = Combiner();
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(x), to_apply=max, replica_groups={}
  c = f32[8] all-reduce(x), to_apply=add, replica_groups={{0}}
  d = f32[8] all-reduce(x), to_apply=add, replica_groups={}, channel_id=1
  ROOT t = (f32[8], f32[8], f32[8], f32[8]) tuple(a, b, c, d))"));
}

TEST(AllReduceCombinerTest, LeavesWhatNeedsOneAnother) {
  AllReduceCombiner pass = Combiner();
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  n = f32[8] negate(a)
  ROOT b = f32[8] all-reduce(n), to_apply=add, replica_groups={})"));
}

// Once a and d are one, c needs b's group and b's group would need c.
TEST(AllReduceCombinerTest, MakesNoCycleOfTwoGroups) {
  AllReduceCombiner pass = Combiner();
  auto module = Transformed(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(a), to_apply=max, replica_groups={}
  c = f32[8] all-reduce(x), to_apply=max, replica_groups={}
  d = f32[8] all-reduce(c), to_apply=add, replica_groups={}
  ROOT t = (f32[8], f32[8]) tuple(b, d))"));
  EXPECT_EQ(CountOf(*module, Opcode::kAllReduce), 3);
}

TEST(AllReduceCombinerTest, StaysBelowTheLimits) {
  const std::string text = Program(R"(
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  z = f32[8] parameter(2)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(y), to_apply=add, replica_groups={}
  c = f32[8] all-reduce(z), to_apply=add, replica_groups={}
  ROOT t = (f32[8], f32[8], f32[8]) tuple(a, b, c))");
  AllReduceCombiner bytes = Combiner(/*bytes=*/64);
  EXPECT_EQ(CountOf(*Transformed(&bytes, text), Opcode::kAllReduce), 2);
  AllReduceCombiner count = Combiner(kMany, /*count=*/2);
  EXPECT_EQ(CountOf(*Transformed(&count, text), Opcode::kAllReduce), 2);
  AllReduceCombiner few = Combiner(/*bytes=*/63);
  ExpectUnchanged(&few, text);
}

}  // namespace
}  // namespace hlokit
