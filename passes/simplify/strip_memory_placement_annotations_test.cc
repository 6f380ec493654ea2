#include "passes/simplify/strip_memory_placement_annotations.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(StripMemoryPlacementAnnotationsTest, PlacementsGiveWay) {
  auto module = TransformedBy<StripMemoryPlacementAnnotations>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  c = f32[4] custom-call(p), custom_call_target="annotate_device_placement"
  ROOT n = f32[4] negate(c)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter negate");
}

TEST(StripMemoryPlacementAnnotationsTest, OtherCallsStay) {
  ExpectUnchangedBy<StripMemoryPlacementAnnotations>(R"(
ENTRY e {
  p = f32[4] parameter(0)
  ROOT c = f32[4] custom-call(p), custom_call_target="Sharding"
})");
}

}  // namespace
}  // namespace hlokit
