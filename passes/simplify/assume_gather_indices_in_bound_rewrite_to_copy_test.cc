#include "passes/simplify/assume_gather_indices_in_bound_rewrite_to_copy.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(AssumeGatherIndicesTest, TheCallBecomesACopy) {
  auto module = TransformedBy<AssumeGatherIndicesInBoundRewriteToCopy>(R"(
ENTRY e {
  x = s32[4] parameter(0)
  s = s32[4] custom-call(x), custom_call_target="AssumeGatherIndicesInBound"
  ROOT n = s32[4] negate(s)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter copy negate");
}

TEST(AssumeGatherIndicesTest, LeavesOtherCalls) {
  ExpectUnchangedBy<AssumeGatherIndicesInBoundRewriteToCopy>(R"(
ENTRY e {
  x = s32[4] parameter(0)
  ROOT s = s32[4] custom-call(x), custom_call_target="other"
})");
}

}  // namespace
}  // namespace hlokit
