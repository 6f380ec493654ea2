#include "passes/simplify/zero_sized_hlo_elimination.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ZeroSizedTest, ReplacesArraysWithoutElements) {
  auto module = TransformedBy<ZeroSizedHloElimination>(R"(
ENTRY e {
  x = f32[3,0] parameter(0)
  y = f32[3,0] negate(x)
  z = f32[3,2] parameter(1)
  ROOT r = f32[3,2] concatenate(y, z), dimensions={1}
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter constant parameter concatenate");
}

TEST(ZeroSizedTest, LeavesWhatCouldNotBeWrittenOut) {
  ExpectUnchangedBy<ZeroSizedHloElimination>(R"(
ENTRY e {
  x = f32[4294967296,4294967296,0] parameter(0)
  ROOT y = f32[4294967296,4294967296,0] negate(x)
})");
}

TEST(ZeroSizedTest, LeavesParametersAndWhatHasElements) {
  ExpectUnchangedBy<ZeroSizedHloElimination>(R"(
ENTRY e {
  x = f32[0] parameter(0)
  y = f32[2] parameter(1)
  n = f32[2] negate(y)
  ROOT r = (f32[0], f32[2]) tuple(x, n)
})");
}

}  // namespace
}  // namespace hlokit
