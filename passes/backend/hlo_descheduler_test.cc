#include "passes/backend/hlo_descheduler.h"

#include "gtest/gtest.h"
#include "passes/test_util.h"

namespace hlokit {
namespace {

TEST(DeschedulerTest, ForgetsTheSchedule) {
  auto module = TransformedBy<HloDescheduler>(R"(
HloModule m, is_scheduled=true
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
  EXPECT_FALSE(module->is_scheduled());
}

TEST(DeschedulerTest, LeavesModulesWithoutOne) {
  ExpectUnchangedBy<HloDescheduler>(R"(
ENTRY e { x = f32[2] parameter(0) ROOT a = f32[2] sine(x) })");
}

}  // namespace
}  // namespace hlokit
