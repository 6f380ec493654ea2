#include "passes/simplify/sharding_remover.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ShardingRemoverTest, AnnotationsAreTheirOperands) {
  auto module = TransformedBy<ShardingRemover>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  s = f32[4] custom-call(x), custom_call_target="Sharding", sharding={replicated}
  ROOT n = f32[4] negate(s)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter negate");
}

TEST(ShardingRemoverTest, LeavesOtherCalls) {
  ExpectUnchangedBy<ShardingRemover>(R"(
ENTRY e {
  x = f32[4] parameter(0)
  ROOT s = f32[4] custom-call(x), custom_call_target="other"
})");
}

}  // namespace
}  // namespace hlokit
