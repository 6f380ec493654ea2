#include "passes/collectives/all_reduce_contiguous.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AllReduceContiguousTest, SeveralArraysBecomeOneList) {
  auto module = TransformedBy<AllReduceContiguous>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,2] parameter(0)
  y = f32[4] parameter(1)
  ROOT t = (f32[8,2], f32[4]) all-reduce(x, y), to_apply=add, replica_groups={{0}}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter reshape parameter concatenate all-reduce slice reshape "
            "slice tuple");
}

TEST(AllReduceContiguousTest, LeavesSingleArrays) {
  ExpectUnchangedBy<AllReduceContiguous>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0)
  ROOT t = f32[8] all-reduce(x), to_apply=add, replica_groups={{0}}
})");
}

}  // namespace
}  // namespace hlokit
