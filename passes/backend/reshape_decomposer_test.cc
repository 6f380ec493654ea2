#include "passes/backend/reshape_decomposer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReshapeDecomposerTest, BetweenDescendingLayoutsItIsABitcast) {
  auto module = TransformedBy<ReshapeDecomposer>(R"(
ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  ROOT r = f32[6]{0} reshape(x)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter bitcast");
}

TEST(ReshapeDecomposerTest, OtherLayoutsAreCopied) {
  auto module = TransformedBy<ReshapeDecomposer>(R"(
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT r = f32[3,2]{0,1} reshape(x)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter copy bitcast copy");
}

TEST(ReshapeDecomposerTest, LeavesPackedTypes) {
  ExpectUnchangedBy<ReshapeDecomposer>(R"(
ENTRY e {
  x = s4[2,3]{1,0:E(4)} parameter(0)
  ROOT r = s4[6]{0:E(4)} reshape(x)
})");
}

}  // namespace
}  // namespace hlokit
