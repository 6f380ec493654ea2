#include "passes/types/all_reduce_promotion.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AllReducePromotionTest, ReducesInSinglePrecision) {
  auto module = TransformedBy<AllReducePromotion>(R"(
HloModule m
add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
ENTRY e {
  x = bf16[4] parameter(0)
  ROOT r = bf16[4] all-reduce(x), replica_groups={}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter convert all-reduce convert");
}

TEST(AllReducePromotionTest, LeavesOtherTypes) {
  ExpectUnchangedBy<AllReducePromotion>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)
  ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=add
})");
}

}  // namespace
}  // namespace hlokit
