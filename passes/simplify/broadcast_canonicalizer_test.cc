#include "passes/simplify/broadcast_canonicalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(BroadcastCanonicalizerTest, SortsTheDimensions) {
  auto module = TransformedBy<BroadcastCanonicalizer>(R"(
ENTRY e {
  x = f32[4,2,3] parameter(0)
  ROOT b = f32[3,4,5,2] broadcast(x), dimensions={1,3,0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter transpose broadcast");
}

TEST(BroadcastCanonicalizerTest, KeepsTheLayoutOfTheResult) {
  auto module = TransformedBy<BroadcastCanonicalizer>(R"(
ENTRY e {
  x = f32[4,2]{1,0} parameter(0)
  ROOT b = f32[2,4,5]{0,2,1} broadcast(x), dimensions={1,0}
})");
  EXPECT_EQ(module->entry()->root()->shape().layout().ToString(), "{0,2,1}");
}

TEST(BroadcastCanonicalizerTest, LeavesSortedOnes) {
  ExpectUnchangedBy<BroadcastCanonicalizer>(R"(
ENTRY e {
  x = f32[4,2] parameter(0)
  ROOT b = f32[4,5,2] broadcast(x), dimensions={0,2}
})");
}

}  // namespace
}  // namespace hlokit
