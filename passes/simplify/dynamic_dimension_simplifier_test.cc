#include "passes/simplify/dynamic_dimension_simplifier.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DynamicDimensionSimplifierTest, LooksThroughSizesPutTogether) {
  auto module = TransformedBy<DynamicDimensionSimplifier>(R"(
ENTRY e {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  a = s32[1] reshape(x)
  b = s32[1] reshape(y)
  c = s32[2] concatenate(a, b), dimensions={0}
  d = s32[1] slice(c), slice={[1:2]}
  ROOT r = s32[] reshape(d)
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter");
}

TEST(DynamicDimensionSimplifierTest, FlattensConcatenations) {
  auto module = TransformedBy<DynamicDimensionSimplifier>(R"(
ENTRY e {
  x = s32[1] parameter(0)
  y = s32[1] parameter(1)
  c = s32[2] concatenate(x, y), dimensions={0}
  ROOT d = s32[3] concatenate(c, x), dimensions={0}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter concatenate");
}

TEST(DynamicDimensionSimplifierTest, AStaticSizeIsAConstant) {
  auto module = TransformedBy<DynamicDimensionSimplifier>(R"(
ENTRY e {
  x = f32[3,5] parameter(0)
  ROOT n = s32[] get-dimension-size(x), dimensions={1}
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter constant");
}

TEST(DynamicDimensionSimplifierTest, LeavesOtherTypesAndPartsOfOperands) {
  ExpectUnchangedBy<DynamicDimensionSimplifier>(R"(
ENTRY e {
  x = f32[1] parameter(0)
  s = s32[2] parameter(1)
  c = f32[2] concatenate(x, x), dimensions={0}
  d = f32[3] concatenate(c, x), dimensions={0}
  e = s32[4] concatenate(s, s), dimensions={0}
  f = s32[1] slice(e), slice={[1:2]}
  ROOT t = (f32[3], s32[1]) tuple(d, f)
})");
}

}  // namespace
}  // namespace hlokit
