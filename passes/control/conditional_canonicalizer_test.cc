#include "passes/control/conditional_canonicalizer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(ConditionalCanonicalizerTest, AnArrayBecomesATuple) {
  auto module = TransformedBy<ConditionalCanonicalizer>(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[2] parameter(1)
  y = f32[2] call(x), to_apply=f
  ROOT c = f32[2] conditional(p, x, y), true_computation=f, false_computation=f
})");
  EXPECT_EQ(EntryOpcodes(*module),
            "parameter parameter call conditional get-tuple-element");
  EXPECT_EQ(CountOf(*module, Opcode::kTuple), 2);
}

TEST(ConditionalCanonicalizerTest, LeavesTuples) {
  ExpectUnchangedBy<ConditionalCanonicalizer>(R"(
HloModule m
f { x = f32[2] parameter(0) ROOT n = (f32[2]) tuple(x) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[2] parameter(1)
  ROOT c = (f32[2]) conditional(p, x, x), true_computation=f, false_computation=f
})");
}

}  // namespace
}  // namespace hlokit
