#include "passes/expand/assume_gather_indices_in_bound_rewrite_to_copy.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AssumeGatherIndicesInBoundRewriteToCopyTest, BecomesACopy) {
  auto module = TransformedBy<AssumeGatherIndicesInBoundRewriteToCopy>(R"(
ENTRY e {
  p = s32[4] parameter(0)
  ROOT r = s32[4] custom-call(p),
    custom_call_target="AssumeGatherIndicesInBound"
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter copy");
}

TEST(AssumeGatherIndicesInBoundRewriteToCopyTest, LeavesOtherCallsAlone) {
  ExpectUnchangedBy<AssumeGatherIndicesInBoundRewriteToCopy>(R"(
ENTRY e {
  p = s32[4] parameter(0)
  ROOT r = s32[4] custom-call(p), custom_call_target="MoveToHost"
})");
}

}  // namespace
}  // namespace hlokit
