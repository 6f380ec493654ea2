#include "passes/backend/instruction_hoister.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(InstructionHoisterTest, ParametersComeFirst) {
  auto module = TransformedBy<InstructionHoister>(R"(
HloModule m, is_scheduled=true
ENTRY e {
  q = f32[4] parameter(1)
  s = f32[4] sine(q)
  p = f32[4] parameter(0)
  ROOT a = f32[4] add(p, s)
})");
  EXPECT_EQ(module->schedule->at(module->entry())[0]->name(), "p");
  EXPECT_EQ(module->schedule->at(module->entry())[1]->name(), "q");
}

TEST(InstructionHoisterTest, LeavesModulesWithoutSchedule) {
  ExpectUnchangedBy<InstructionHoister>(R"(
ENTRY e { q = f32[4] parameter(1) p = f32[4] parameter(0)
  ROOT a = f32[4] add(p, q) })");
}

}  // namespace
}  // namespace hlokit
