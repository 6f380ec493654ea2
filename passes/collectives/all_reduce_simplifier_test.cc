#include "passes/collectives/all_reduce_simplifier.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AllReduceSimplifierTest, GroupsOfOneDeviceReduceNothing) {
  auto module = TransformedBy<AllReduceSimplifier>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[4] parameter(1)
  a = f32[8] all-reduce(x), to_apply=add, replica_groups={{0}}
  n = f32[8] negate(a)
  ROOT t = (f32[8], f32[4]) all-reduce(n, y), to_apply=add, replica_groups={{0}}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter negate parameter tuple");
}

TEST(AllReduceSimplifierTest, LeavesGroupsOfSeveral) {
  ExpectUnchangedBy<AllReduceSimplifier>(R"(
HloModule m, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  ROOT a = f32[8] all-reduce(x), to_apply=add, replica_groups={{0,1}}
})");
}

}  // namespace
}  // namespace hlokit
