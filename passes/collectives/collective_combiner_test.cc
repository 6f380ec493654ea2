#include "passes/collectives/collective_combiner.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr int64_t kMany = std::numeric_limits<int64_t>::max();

CollectiveCombiner Combiner(int64_t bytes = kMany, int64_t count = 256) {
  return CollectiveCombiner("all-reduce-combiner", Opcode::kAllReduce, bytes,
                            count);
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

TEST(CollectiveCombinerTest, CombinesWhatReducesAlike) {
  CollectiveCombiner pass = Combiner();
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

TEST(CollectiveCombinerTest, LeavesOtherOperationsTypesAndGroups) {
  CollectiveCombiner pass = Combiner();
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(x), to_apply=max, replica_groups={}
  c = f32[8] all-reduce(x), to_apply=add, replica_groups={{0}}
  d = f32[8] all-reduce(x), to_apply=add, replica_groups={}, channel_id=1
  ROOT t = (f32[8], f32[8], f32[8], f32[8]) tuple(a, b, c, d))"));
}

TEST(CollectiveCombinerTest, LeavesWhatNeedsOneAnother) {
  CollectiveCombiner pass = Combiner();
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  n = f32[8] negate(a)
  ROOT b = f32[8] all-reduce(n), to_apply=add, replica_groups={})"));
}

// Once a and d are one, c needs b's group and b's group would need c.
TEST(CollectiveCombinerTest, MakesNoCycleOfTwoGroups) {
  CollectiveCombiner pass = Combiner();
  auto module = Transformed(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(a), to_apply=max, replica_groups={}
  c = f32[8] all-reduce(x), to_apply=max, replica_groups={}
  d = f32[8] all-reduce(c), to_apply=add, replica_groups={}
  ROOT t = (f32[8], f32[8]) tuple(b, d))"));
  EXPECT_EQ(CountOf(*module, Opcode::kAllReduce), 3);
}

TEST(CollectiveCombinerTest, StaysBelowTheLimits) {
  const std::string text = Program(R"(
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  z = f32[8] parameter(2)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[8] all-reduce(y), to_apply=add, replica_groups={}
  c = f32[8] all-reduce(z), to_apply=add, replica_groups={}
  ROOT t = (f32[8], f32[8], f32[8]) tuple(a, b, c))");
  CollectiveCombiner bytes = Combiner(/*bytes=*/64);
  EXPECT_EQ(CountOf(*Transformed(&bytes, text), Opcode::kAllReduce), 2);
  CollectiveCombiner count = Combiner(kMany, /*count=*/2);
  EXPECT_EQ(CountOf(*Transformed(&count, text), Opcode::kAllReduce), 2);
  CollectiveCombiner few = Combiner(/*bytes=*/63);
  ExpectUnchanged(&few, text);
}

TEST(CollectiveCombinerTest, CombinesGathersAlongOneDimension) {
  CollectiveCombiner pass("all-gather-combiner", Opcode::kAllGather, kMany, 9);
  auto module = Transformed(&pass, Program(R"(
  x = f32[8,2] parameter(0)
  y = s32[4] parameter(1)
  a = f32[8,2] all-gather(x), dimensions={0}, replica_groups={{0}}
  b = s32[4] all-gather(y), dimensions={0}, replica_groups={{0}}
  c = f32[8,2] all-gather(x), dimensions={1}, replica_groups={{0}}
  ROOT t = (f32[8,2], s32[4], f32[8,2]) tuple(a, b, c))"));
  EXPECT_EQ(CountOf(*module, Opcode::kAllGather), 2);
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8,2] parameter(0)
  a = f32[8,2] all-gather(x), dimensions={0}, replica_groups={{0}}
  ROOT b = f32[8,2] all-gather(a), dimensions={0}, replica_groups={{0}})"));
}

TEST(CollectiveCombinerTest, CombinesReduceScatters) {
  CollectiveCombiner pass("reduce-scatter-combiner", Opcode::kReduceScatter,
                          kMany, 9);
  auto module = Transformed(&pass, Program(R"(
  x = f32[8] parameter(0)
  y = f32[4] parameter(1)
  a = f32[8] reduce-scatter(x), dimensions={0}, to_apply=add, replica_groups={{0}}
  b = f32[4] reduce-scatter(y), dimensions={0}, to_apply=sum, replica_groups={{0}}
  c = f32[4] reduce-scatter(y), dimensions={0}, to_apply=max, replica_groups={{0}}
  ROOT t = (f32[8], f32[4], f32[4]) tuple(a, b, c))"));
  EXPECT_EQ(CountOf(*module, Opcode::kReduceScatter), 2);
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] reduce-scatter(x), dimensions={0}, to_apply=add, replica_groups={{0}}
  b = f32[8] reduce-scatter(x), dimensions={0}, to_apply=max, replica_groups={{0}}
  ROOT t = (f32[8], f32[8]) tuple(a, b))"));
}

TEST(CollectiveCombinerTest, TheCpuPipelineCombinesAllReducesOfAnySize) {
  CollectiveCombiner pass("cpu-all-reduce-combiner", Opcode::kAllReduce, kMany,
                          256);
  auto module = Transformed(&pass, Program(R"(
  x = f32[4096] parameter(0)
  a = f32[4096] all-reduce(x), to_apply=add, replica_groups={}
  b = f32[4096] all-reduce(x), to_apply=sum, replica_groups={}
  ROOT t = (f32[4096], f32[4096]) tuple(a, b))"));
  EXPECT_EQ(CountOf(*module, Opcode::kAllReduce), 1);
  ExpectUnchanged(&pass, Program(R"(
  x = f32[8] parameter(0)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={}
  ROOT b = f32[8] all-reduce(a), to_apply=add, replica_groups={})"));
}

}  // namespace
}  // namespace hlokit
