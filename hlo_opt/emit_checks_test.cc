#include "hlo_opt/emit_checks.h"

#include "base/test_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hlo_opt/file_check.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] = R"(// RUN: old command
HloModule add
// CHECK-NEXT: old

f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s.1 = f32[] add(a, b)
}

ENTRY main {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  n = f32[4] negate(p)
  nn = f32[4] negate(n)
  ROOT r = f32[] reduce(nn, z), dimensions={0}, to_apply=f
}
)";

class EmitChecksTest : public ToolTest {
 protected:
  EmitChecksTest() : ToolTest(RunHloOpt) {
    EXPECT_TRUE(memory_.WriteFile("in.hlo", kText).ok());
  }
};

TEST_F(EmitChecksTest, TheTestHoldsForTheSameCommand) {
  ASSERT_EQ(RunTool({"in.hlo", "--passes=algsimp", "--emit-checks"}), 0)
      << err_.str();
  const std::string test = out_.str();
  EXPECT_THAT(test, HasSubstr(
                        "// RUN: hlo-opt %s --passes=algsimp | FileCheck %s\n"));
  EXPECT_THAT(test, HasSubstr("// CHECK-LABEL: ENTRY %main"));
  EXPECT_THAT(test, HasSubstr("reduce(%[[p]], %[[z]])"));
  EXPECT_THAT(test, Not(HasSubstr("old")));
  // The test is an input again.
  ASSERT_TRUE(memory_.WriteFile("test.hlo", test).ok());
  ASSERT_EQ(RunTool({"test.hlo", "--passes=algsimp"}), 0) << err_.str();
  EXPECT_TRUE(FileCheck(test, "test.hlo", out_.str()).ok())
      << FileCheck(test, "test.hlo", out_.str());
  // Another result does not hold.
  ASSERT_EQ(RunTool({"test.hlo"}), 0);
  EXPECT_FALSE(FileCheck(test, "test.hlo", out_.str()).ok());
}

TEST_F(EmitChecksTest, NamesMayChange) {
  ASSERT_EQ(RunTool({"in.hlo", "--emit-checks"}), 0) << err_.str();
  const std::string test = out_.str();
  ASSERT_EQ(RunTool({"in.hlo"}), 0);
  std::string output = out_.str();
  for (size_t at = 0; (at = output.find("%nn", at)) != std::string::npos;) {
    output.replace(at, 3, "%other.7");
  }
  EXPECT_TRUE(FileCheck(test, "t", output).ok())
      << FileCheck(test, "t", output);
}

TEST(RunLineTest, LeavesOutWhatDoesNotBelongIntoATest) {
  EXPECT_EQ(RunLine({"a.hlo", "--emit-checks", "--o=x", "--passes=dce"}),
            "// RUN: hlo-opt %s --passes=dce | FileCheck %s\n");
  EXPECT_EQ(RunLine({"--passes", "dce,cse", "-o", "x", "a.hlo"}),
            "// RUN: hlo-opt %s --passes dce,cse | FileCheck %s\n");
}

TEST(ChecksForTest, BracesAndClashingNames) {
  const std::string checks = ChecksFor(
      "HloModule m, input_output_alias={{0}: (0, {})}\n\n"
      "ENTRY %e (a.b: f32[]) -> f32[] {\n"
      "  %a.b = f32[] parameter(0)\n"
      "  ROOT %a_b = f32[] negate(%a.b), metadata={op_name=\"%a.b\"}\n"
      "}\n");
  EXPECT_THAT(checks, HasSubstr("alias={{[{][{]}}0}: (0, {})}\n"));
  EXPECT_THAT(checks, HasSubstr("ROOT %[[a_b_1:[^ ]+]] = f32[] "
                                "negate(%[[a_b]]), metadata={op_name=\"%a.b\"}"));
}

}  // namespace
}  // namespace hlokit
