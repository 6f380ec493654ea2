#include "passes/collectives/convert_async_collectives_to_sync.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

constexpr char kIdle[] = R"(
HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8] parameter(0)
  s = (f32[8], f32[8]) collective-permute-start(x), source_target_pairs={{0,0}}
  y = f32[8] parameter(1)
  d = f32[8] collective-permute-done(s)
  ROOT r = f32[8] add(d, y)
})";

TEST(ConvertAsyncCollectivesToSyncTest, IdlePairsBecomeSynchronous) {
  auto module = TransformedBy<ConvertAsyncCollectivesToSync>(kIdle);
  EXPECT_EQ(CountOf(*module, Opcode::kCollectivePermute), 1);
  EXPECT_EQ(CountOf(*module, Opcode::kCollectivePermuteStart), 0);
  EXPECT_TRUE(module->is_scheduled());
}

TEST(ConvertAsyncCollectivesToSyncTest, LeavesPairsWithWorkBetween) {
  ExpectUnchangedBy<ConvertAsyncCollectivesToSync>(R"(
HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8] parameter(0)
  s = (f32[8], f32[8]) collective-permute-start(x), source_target_pairs={{0,0}}
  n = f32[8] negate(x)
  d = f32[8] collective-permute-done(s)
  ROOT r = f32[8] add(d, n)
})");
}

TEST(ConvertAsyncCollectivesToSyncTest, LeavesModulesWithoutSchedule) {
  ExpectUnchangedBy<ConvertAsyncCollectivesToSync>(
      absl::StrReplaceAll(kIdle, {{", is_scheduled=true", ""}}));
}

}  // namespace
}  // namespace hlokit
