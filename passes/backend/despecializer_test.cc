#include "passes/backend/despecializer.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DespecializerTest, UndoesScheduleFusionsAndControlDependencies) {
  auto module = TransformedBy<Despecializer>(R"(
HloModule m, is_scheduled=true
f { a = f32[2] parameter(0) ROOT r = f32[2] sine(a) }
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] fusion(x), kind=kLoop, calls=f
  ROOT b = f32[2] negate(x), control-predecessors={a}
})");
  EXPECT_FALSE(module->is_scheduled());
  EXPECT_EQ(CountOf(*module, Opcode::kFusion), 0);
}

TEST(DespecializerTest, LeavesWhatHasNothingToUndo) {
  ExpectUnchangedBy<Despecializer>(R"(
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
}

}  // namespace
}  // namespace hlokit
