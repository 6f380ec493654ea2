#include "passes/backend/fusion_wrapper.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(FusionWrapperTest, WrapsSingleOperationsByName) {
  auto module = TransformedBy<FusionWrapper>(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4,4] parameter(0)
  m = f32[4,4] multiply(x, x)
  d = f32[4,4] dot(m, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  ROOT r = f32[4] reduce(d, z), dimensions={1}, to_apply=add
})");
  EXPECT_EQ(EntryOpcodes(*module), "parameter fusion dot constant fusion");
  EXPECT_NE(module->entry()->FindInstruction("wrapped_multiply"), nullptr);
  ASSERT_NE(module->FindComputation("wrapped_reduce_computation"), nullptr);
  // The same operand twice is one parameter.
  EXPECT_EQ(module->FindComputation("wrapped_multiply_computation")
                ->parameter_count(),
            1);
}

TEST(FusionWrapperTest, LeavesReducersDotsAndFusions) {
  ExpectUnchangedBy<FusionWrapper>(R"(
HloModule m
f { a = f32[4,4] parameter(0) s = f32[4,4] sine(a) ROOT r = f32[4,4] negate(s) }
ENTRY e {
  x = f32[4,4] parameter(0)
  g = f32[4,4] fusion(x), kind=kLoop, calls=f
  ROOT d = f32[4,4] dot(g, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
}

}  // namespace
}  // namespace hlokit
