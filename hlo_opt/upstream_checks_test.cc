// XLA's own tests of hlo-opt that carry check lines, where the corpora have
// them: their RUN lines are run here and the output is checked.
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file_system.h"
#include "base/test_corpora.h"
#include "base/test_tool.h"
#include "gtest/gtest.h"
#include "hlo_opt/file_check.h"
#include "hlo_opt/hlo_opt.h"

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
    {"--stage=llvm-before-optimizations", "no LLVM IR from hlo-opt"},
    {"--passes=test-only-", "passes that exist for XLA's own tests only"},
    {"xargs", "needs a shell"},
    {"env XLA_FLAGS", "needs a shell"},
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

// The RUN lines that call hlo-opt, those that go on in the next line joined.
std::vector<Command> CommandsOf(const std::string& file) {
  std::vector<Command> commands;
  std::string open;
  for (absl::string_view line : absl::StrSplit(ReadCorpusFile(file), '\n')) {
    const size_t run = line.find("RUN:");
    if (run == absl::string_view::npos) continue;
    absl::string_view text = absl::StripAsciiWhitespace(line.substr(run + 4));
    const bool goes_on = absl::ConsumeSuffix(&text, "\\");
    absl::StrAppend(&open, text, goes_on ? " " : "");
    if (goes_on) continue;
    if (absl::StrContains(open, "hlo-opt")) commands.push_back({file, open});
    open.clear();
  }
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

std::vector<std::string> Words(absl::string_view text) {
  std::vector<std::string> words;
  for (absl::string_view word :
       absl::StrSplit(text, ' ', absl::SkipWhitespace())) {
    words.push_back(absl::StrReplaceAll(word, {{"\"", ""}}));
  }
  return words;
}

absl::Status Check(const Command& command, absl::Span<const std::string> words,
                   const std::string& output) {
  FileCheckOptions options;
  for (const std::string& word : words) {
    const std::vector<std::string> parts = absl::StrSplit(word, '=');
    if (parts[0] == "--check-prefix" || parts[0] == "--check-prefixes") {
      options.prefixes = absl::StrSplit(parts[1], ',');
    } else if (absl::StartsWith(word, "-") &&
               word != "--dump-input-filter=all" && word != "--dump-input=fail") {
      return absl::UnimplementedError(absl::StrCat("FileCheck ", word));
    }
  }
  return FileCheck(ReadCorpusFile(command.file), command.file, output, options);
}

// Runs a pipe of hlo-opt and FileCheck.
absl::Status RunCommand(const Command& command, FileSystem* files) {
  std::string text = absl::StrReplaceAll(
      command.text,
      {{"%s/..", command.file.substr(0, command.file.rfind('/'))},
                     {"%s", command.file},
                     {"%S", command.file.substr(0, command.file.rfind('/'))},
                     {"%t", ::testing::TempDir() + "upstream_checks"}});
  std::string output;
  bool checked = false;
  for (absl::string_view part : absl::StrSplit(text, '|')) {
    std::vector<std::string> words = Words(part);
    if (words.empty()) continue;
    const bool fails = words[0] == "not";
    if (fails) words.erase(words.begin());
    const bool both = !words.empty() && words.back() == "2>&1";
    if (both) words.pop_back();
    const std::string program = words[0];
    words.erase(words.begin());
    if (program == "FileCheck") {
      checked = true;
      const absl::Status status = Check(command, words, output);
      if (!status.ok()) return status;
    } else if (program == "hlo-opt") {
      // A later one of a pipe reads what the first wrote.
      if (!output.empty()) {
        for (std::string& word : words) {
          if (word == command.file) word = "-";
        }
      }
      const ToolRun run = RunToolWith(RunHloOpt, words, files, {}, output);
      if ((run.exit_code != 0) != fails) {
        return absl::InternalError(
            absl::StrCat("exit code ", run.exit_code, ": ", run.err));
      }
      output = both ? run.out + run.err : run.out;
    } else {
      return absl::UnimplementedError(absl::StrCat("program ", program));
    }
  }
  return checked ? absl::OkStatus()
                 : absl::UnimplementedError("nothing is checked");
}

TEST(UpstreamChecksTest, HoldButForTheExceptions) {
  std::vector<Command> commands;
  for (const std::string& file : CorpusFiles("upstream_hlo", {".hlo"})) {
    for (Command& command : CommandsOf(file)) {
      commands.push_back(std::move(command));
    }
  }
  if (commands.empty()) GTEST_SKIP() << "no corpora";
  int held = 0, unchecked = 0;
  std::map<std::string, int> excepted;
  for (const Command& command : commands) {
    const absl::string_view reason = ReasonToSkip(command);
    if (!reason.empty()) {
      ++excepted[std::string(reason)];
      continue;
    }
    const absl::Status status = RunCommand(command, DiskFileSystem());
    if (absl::IsUnimplemented(status)) {
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
  EXPECT_GE(held, 7);
}

}  // namespace
}  // namespace hlokit
