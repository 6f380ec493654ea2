#include "hlo_opt/test_shell.h"

#include <ostream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hlokit {
namespace {

// Writes its arguments and the variable V; fails when there are none.
int FakeOpt(absl::Span<const std::string> arguments, const ToolIo& io) {
  for (const std::string& argument : arguments) {
    *io.out << "<" << argument << ">\n";
  }
  const char* variable = io.getenv("V");
  if (variable != nullptr) *io.out << "V is " << variable << "\n";
  if (arguments.empty()) *io.err << "no arguments\n";
  return arguments.empty() ? 3 : 0;
}

class TestShellTest : public ::testing::Test {
 protected:
  TestShellTest() : shell_(&files_, FakeOpt) {
    EXPECT_TRUE(files_.CreateDirectories("/d").ok());
    EXPECT_TRUE(files_.WriteFile("/d/one.hlo", "alpha\n").ok());
    EXPECT_TRUE(files_.WriteFile("/d/two.hlo", "beta\n").ok());
  }
  // Runs the line with these check lines in the file /c.
  absl::StatusOr<bool> Check(const std::string& line,
                             const std::string& checks) {
    EXPECT_TRUE(files_.WriteFile("/c", checks).ok());
    return shell_.Run(line);
  }
  MemoryFileSystem files_;
  TestShell shell_;
};

TEST_F(TestShellTest, PipesReachFileCheck) {
  EXPECT_TRUE(Check("hlo-opt --a=\"b c\" x | FileCheck /c",
                    "CHECK: <--a=b c>\nCHECK-NEXT: <x>").value());
  EXPECT_FALSE(Check("hlo-opt y", "").value());
  EXPECT_TRUE(absl::IsInternal(
      Check("hlo-opt y | FileCheck /c", "CHECK: z").status()));
}

TEST_F(TestShellTest, FailuresAreSeen) {
  EXPECT_TRUE(absl::IsInternal(Check("hlo-opt", "").status()));
  EXPECT_TRUE(
      Check("not hlo-opt 2>&1 | FileCheck /c", "CHECK: no arguments").value());
  EXPECT_TRUE(absl::IsInternal(Check("not hlo-opt y", "").status()));
  EXPECT_TRUE(absl::IsUnimplemented(Check("rm -r /", "").status()));
}

TEST_F(TestShellTest, SmallProgramsAndNames) {
  EXPECT_TRUE(Check("ls /d | sort | FileCheck /c --check-prefix=\"L\"",
                    "L: one.hlo\nL-NEXT: two.hlo").value());
  EXPECT_TRUE(Check("FileCheck /c < /d/t*.hlo", "CHECK: beta").value());
  EXPECT_TRUE(
      Check("echo /d/o*.hlo | xargs -I {} env V=\"7\" hlo-opt --f={} | "
            "FileCheck /c",
            "CHECK: <--f=/d/one.hlo>\nCHECK: V is 7").value());
}

}  // namespace
}  // namespace hlokit
