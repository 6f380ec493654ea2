// XLA's own tests of hlo-opt that carry check lines, where the corpora have
// them: their RUN lines are run here and the output is checked.
#include <unistd.h>

#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "gtest/gtest.h"
#include "hlo_opt/hlo_opt.h"
#include "hlo_opt/test_shell.h"

namespace hlokit {
namespace {

// Commands that are not run or need not hold, by what they contain ("file name"
// or words of the command), with the reason.
struct Exception {
  absl::string_view contains;
  absl::string_view reason;
};
constexpr Exception kExceptions[] = {
    {"--platform=gpu", "the GPU pipeline is not here yet"},
    {"--platform=CUDA", "the GPU pipeline is not here yet"},
    {"CHECK-GPU", "the GPU pipeline is not here yet"},
    {"--stage=llvm-before-optimizations",
     "functions of the LLVM IR are not named after instructions"},
    {"--passes=test-only-", "passes that exist for XLA's own tests only"},
    {"generate_hlo_test_checks_test_input.hlo",
     "the modules break rules of HLO; passes refuse them"},
    {"generate_hlo_test_checks_test_output.hlo",
     "the modules break rules of HLO; passes refuse them"},
    {"operand_upcaster.hlo",
     "the modules break rules of HLO; passes refuse them"},
    {"hlo_opt_nonexistent_pass_failure.hlo", "the error reads better here"},
    {"--list-passes", "the list has one line a pass, with its purpose"},
    {"cholesky_expander.hlo", "expands to other loops with the same result"},
};

struct Command {
  std::string file;
  std::string text;
};

// The RUN lines of tests of hlo-opt, those that go on in the next line joined.
std::vector<Command> CommandsOf(const std::string& file) {
  std::vector<Command> commands;
  std::string open;
  bool of_hlo_opt = false;
  for (absl::string_view line : absl::StrSplit(ReadCorpusFile(file), '\n')) {
    const size_t run = line.find("RUN:");
    if (run == absl::string_view::npos) continue;
    absl::string_view text = absl::StripAsciiWhitespace(line.substr(run + 4));
    const bool goes_on = absl::ConsumeSuffix(&text, "\\");
    absl::StrAppend(&open, text, goes_on ? " " : "");
    if (goes_on) continue;
    of_hlo_opt |= absl::StrContains(open, "hlo-opt");
    commands.push_back({file, open});
    open.clear();
  }
  if (!of_hlo_opt) commands.clear();
  return commands;
}

absl::string_view ReasonToSkip(const Command& command) {
  if (absl::EndsWith(command.file, "/cpu_hlo.hlo") &&
      std::thread::hardware_concurrency() < 2) {
    return "needs two cores";
  }
  for (const Exception& exception : kExceptions) {
    if (absl::StrContains(command.text, exception.contains) ||
        absl::EndsWith(command.file, exception.contains)) {
      return exception.reason;
    }
  }
  return "";
}

std::string Substituted(const Command& command) {
  const std::string folder = command.file.substr(0, command.file.rfind('/'));
  const std::string stem = command.file.substr(folder.size() + 1);
  return absl::StrReplaceAll(
      command.text,
      {{"%s/..", folder},
       {"%s", command.file},
       {"%S", folder},
       {"%t", absl::StrCat(::testing::TempDir(), "upstream_checks_", getpid(),
                           "_", stem)}});
}

TEST(UpstreamChecksTest, HoldButForTheExceptions) {
  std::vector<Command> commands;
  for (const std::string& file : CorpusFiles("upstream_hlo", {".hlo"})) {
    for (Command& command : CommandsOf(file)) {
      commands.push_back(std::move(command));
    }
  }
  if (commands.empty()) GTEST_SKIP() << "no corpora";
  TestShell shell(DiskFileSystem(), RunHloOpt);
  int held = 0, unchecked = 0;
  std::map<std::string, int> excepted;
  std::string cut_off;  // a file of which an earlier command was left out
  for (const Command& command : commands) {
    absl::string_view reason = ReasonToSkip(command);
    if (reason.empty() && command.file == cut_off &&
        absl::StrContains(command.text, "%t")) {
      reason = "needs what a command before it would have written";
    }
    if (!reason.empty()) {
      ++excepted[std::string(reason)];
      cut_off = command.file;
      continue;
    }
    const auto checked = shell.Run(Substituted(command));
    const absl::Status status = checked.status();
    if (absl::IsUnimplemented(status) || (checked.ok() && !*checked)) {
      ++unchecked;
      std::printf("not checked: %s: %s\n", command.text.c_str(),
                  std::string(status.message()).c_str());
      continue;
    }
    EXPECT_TRUE(status.ok()) << command.file << "\n"
                             << command.text << "\n"
                             << status.message();
    held += status.ok();
  }
  std::printf("%d of %d commands hold, %d end without a check\n", held,
              static_cast<int>(commands.size()), unchecked);
  for (const auto& [reason, count] : excepted) {
    std::printf("%3d left out: %s\n", count, reason.c_str());
  }
  EXPECT_GE(held, 20);
}

}  // namespace
}  // namespace hlokit
