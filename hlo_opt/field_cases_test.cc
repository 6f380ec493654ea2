// Inputs like those that people report trouble with, from the optional corpora
// in ../shared: what must be refused is, what must survive does.

#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/file_system.h"
#include "gtest/gtest.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "hlo_opt/hlo_opt.h"

namespace hlokit {
namespace {

struct Case {
  std::string name, kind, action, input, expected;
};

std::string Folder() { return Corpora() + "field_cases/"; }

std::vector<Case> Cases(const std::string& action) {
  std::vector<Case> cases;
  for (CorpusRow& row : CorpusTable(Folder() + "CASES.tsv")) {
    if (row["action"] != action) continue;
    cases.push_back(
        {row["case"], row["kind"], row["action"], row["input"], row["expected"]});
  }
  return cases;
}

ToolRun RunTool(const std::vector<std::string>& arguments,
                const std::string& input = "") {
  return RunToolWith(RunHloOpt, arguments, DiskFileSystem(), {}, input);
}

// Refusals that are the matter of replay, not of reading.
bool IsAboutRunning(const Case& c) {
  return c.kind == "unsupported custom calls" || c.kind == "snapshot input";
}

TEST(FieldCasesTest, MalformedInputsAreRefusedWithAMessage) {
  const std::vector<Case> cases = Cases("reject");
  if (cases.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  for (const Case& c : cases) {
    if (IsAboutRunning(c)) continue;
    std::vector<std::string> arguments = {Folder() + c.input};
    // An attribute that might as well be one of a newer XLA.
    if (c.name == "unknown_opcode_and_attribute") {
      arguments.push_back("--strict");
    }
    const ToolRun outcome = RunTool(arguments);
    EXPECT_EQ(outcome.exit_code, 3) << c.name << ": wanted " << c.expected;
    EXPECT_TRUE(absl::StrContains(outcome.err, "error: ")) << c.name;
    EXPECT_EQ(outcome.out, "") << c.name;
  }
}

TEST(FieldCasesTest, TextSurvivesTextAndProtos) {
  const std::vector<Case> cases = Cases("parse-roundtrip");
  if (cases.empty()) GTEST_SKIP() << "../shared/corpora is not there";
  for (const Case& c : cases) {
    const ToolRun first = RunTool({Folder() + c.input, "--print_options=default,"
                               "print_large_constants=true"});
    ASSERT_EQ(first.exit_code, 0) << c.name << ": " << first.err;
    const ToolRun again =
        RunTool({"-", "--split-input-file", "--print_options=default,"
             "print_large_constants=true"}, first.out);
    ASSERT_EQ(again.exit_code, 0) << c.name << ": " << again.err;
    EXPECT_EQ(first.out, again.out) << c.name;
    const bool several = absl::StrContains(first.out, "// -----");
    if (several) continue;
    const ToolRun proto = RunTool({"-", "--emit=pb"}, first.out);
    ASSERT_EQ(proto.exit_code, 0) << c.name << ": " << proto.err;
    const ToolRun back = RunTool({"-", "--print_options=default,"
                              "print_large_constants=true"}, proto.out);
    ASSERT_EQ(back.exit_code, 0) << c.name << ": " << back.err;
    // The header's replica and partition counts are not in protos.
    const std::string body = first.out.substr(first.out.find('\n'));
    EXPECT_EQ(body, back.out.substr(back.out.find('\n'))) << c.name;
  }
}

TEST(FieldCasesTest, WholeModulesAreTakenFromAProgramsLog) {
  if (Cases("reject").empty()) GTEST_SKIP() << "../shared/corpora is not there";
  const ToolRun outcome = RunTool({Folder() + "dump_stdout_log.log"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(absl::StrContains(
      outcome.err, "module_0005.jit_cut.before_optimizations.txt is cut"));
  EXPECT_TRUE(absl::StrContains(outcome.out, "// -----"));
}

TEST(FieldCasesTest, SeveralModulesWantSplitting) {
  if (Cases("reject").empty()) GTEST_SKIP() << "../shared/corpora is not there";
  const std::string file = Folder() + "two_modules_one_file.hlo";
  const ToolRun plain = RunTool({file});
  EXPECT_EQ(plain.exit_code, 3);
  EXPECT_TRUE(absl::StrContains(plain.err, "--split-input-file"));
  EXPECT_EQ(RunTool({file, "--split-input-file"}).exit_code, 0);
}

}  // namespace
}  // namespace hlokit
