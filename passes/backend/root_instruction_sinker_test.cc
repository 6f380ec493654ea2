#include "passes/backend/root_instruction_sinker.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(RootInstructionSinkerTest, RootsComeLast) {
  auto module = TransformedBy<RootInstructionSinker>(R"(
HloModule m, is_scheduled=true
ENTRY e {
  p = f32[4] parameter(0)
  ROOT t = (f32[4]) tuple(p)
  g = f32[4] get-tuple-element(t), index=0
  s = f32[4] sine(g)
})");
  EXPECT_TRUE(module->entry()->root() ==
              module->schedule->at(module->entry()).back());
}

TEST(RootInstructionSinkerTest, LeavesOtherModules) {
  ExpectUnchangedBy<RootInstructionSinker>(R"(
HloModule m, is_scheduled=true
ENTRY e { p = f32[4] parameter(0) ROOT s = f32[4] sine(p) })");
  ExpectUnchangedBy<RootInstructionSinker>(R"(
ENTRY e { p = f32[4] parameter(0) ROOT s = f32[4] sine(p) t = f32[4] sine(s) })");
}

}  // namespace
}  // namespace hlokit
