#include "passes/simplify/reshape_mover.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ReshapeMoverTest, MovesReshapesBehindAChain) {
  auto module = TransformedBy<ReshapeMover>(R"(
ENTRY e {
  x = f32[6] parameter(0)
  y = f32[6] parameter(1)
  a = f32[2,3] reshape(x)
  b = f32[2,3] reshape(y)
  c = f32[] constant(2)
  d = f32[2,3] broadcast(c), dimensions={}
  s = f32[2,3] add(a, b)
  ROOT p = f32[2,3] multiply(s, d)
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter parameter add constant broadcast multiply reshape");
}

TEST(ReshapeMoverTest, MovesEqualTransposes) {
  auto module = TransformedBy<ReshapeMover>(R"(
ENTRY e {
  x = f32[3,2] parameter(0)
  y = f32[3,2] parameter(1)
  a = f32[2,3] transpose(x), dimensions={1,0}
  b = f32[2,3] transpose(y), dimensions={1,0}
  ROOT s = pred[2,3] compare(a, b), direction=LT
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter parameter compare transpose");
}

TEST(ReshapeMoverTest, LeavesDifferentMovesAndSharedOnes) {
  ExpectUnchangedBy<ReshapeMover>(R"(
ENTRY e {
  x = f32[6] parameter(0)
  y = f32[3,2] parameter(1)
  a = f32[2,3] reshape(x)
  b = f32[2,3] reshape(y)
  s = f32[2,3] add(a, b)
  n = f32[2,3] negate(a)
  m = f32[2,3] negate(b)
  ROOT t = (f32[2,3], f32[2,3], f32[2,3]) tuple(s, n, m)
})");
}

}  // namespace
}  // namespace hlokit
