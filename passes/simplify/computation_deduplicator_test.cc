#include "passes/simplify/computation_deduplicator.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ComputationDeduplicatorTest, CallersShareEqualComputations) {
  auto module = TransformedBy<ComputationDeduplicator>(R"(
HloModule m
add1 { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
add2 { c = f32[] parameter(0) d = f32[] parameter(1) ROOT s = f32[] add(c, d) }
sub { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
ENTRY e {
  x = f32[2,3] parameter(0)
  z = f32[] constant(0)
  a = f32[2] reduce(x, z), dimensions={1}, to_apply=add1
  b = f32[2] reduce(x, z), dimensions={1}, to_apply=add2
  c = f32[2] reduce(x, z), dimensions={1}, to_apply=sub
  ROOT t = (f32[2], f32[2], f32[2]) tuple(a, b, c)
})");
  EXPECT_EQ(module->computation_count(), 3);
}

// What a fusion calls stays its own; the two that are called become one.
TEST(ComputationDeduplicatorTest, LeavesTheBodiesOfFusions) {
  auto module = TransformedBy<ComputationDeduplicator>(R"(
HloModule m
f1 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
f2 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
g1 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
g2 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
ENTRY e {
  x = f32[] parameter(0)
  a = f32[] fusion(x), kind=kLoop, calls=f1
  b = f32[] fusion(a), kind=kLoop, calls=f2
  c = f32[] call(b), to_apply=g1
  ROOT d = f32[] call(c), to_apply=g2
})");
  EXPECT_EQ(module->computation_count(), 4);
}

TEST(ComputationDeduplicatorTest, CallersOfEqualComputationsAreEqualToo) {
  auto module = TransformedBy<ComputationDeduplicator>(R"(
HloModule m
f1 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
g1 { a = f32[] parameter(0) ROOT r = f32[] call(a), to_apply=f1 }
f2 { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
g2 { a = f32[] parameter(0) ROOT r = f32[] call(a), to_apply=f2 }
ENTRY e {
  x = f32[] parameter(0)
  c = f32[] call(x), to_apply=g1
  ROOT d = f32[] call(c), to_apply=g2
})");
  EXPECT_EQ(module->computation_count(), 3);
}

TEST(ComputationDeduplicatorTest, LeavesDifferentOnes) {
  ExpectUnchangedBy<ComputationDeduplicator>(R"(
HloModule m
f { a = f32[] parameter(0) ROOT r = f32[] sine(a) }
g { a = f32[] parameter(0) ROOT r = f32[] cosine(a) }
ENTRY e { x = f32[] parameter(0) y = f32[] call(x), to_apply=f ROOT z = f32[] call(y), to_apply=g })");
}

}  // namespace
}  // namespace hlokit
