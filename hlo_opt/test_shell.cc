#include "hlo_opt/test_shell.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "hlo_opt/file_check.h"

namespace hlokit {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : absl::StrJoin(lines, "\n") + "\n";
}

std::vector<std::string> Rest(const std::vector<std::string>& words,
                              size_t from) {
  return {words.begin() + std::min(from, words.size()), words.end()};
}

}  // namespace

std::vector<std::string> TestShell::Expand(const std::string& word) const {
  const size_t slash = word.rfind('/');
  if (!absl::StrContains(word, "*") || slash == std::string::npos) {
    return {word};
  }
  const std::string folder = word.substr(0, slash);
  const std::string pattern = word.substr(slash + 1);
  std::vector<std::string> found;
  const auto names = files_->ListDirectory(folder);
  if (names.ok()) {
    for (const std::string& name : *names) {
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) {
        found.push_back(absl::StrCat(folder, "/", name));
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? std::vector<std::string>{word} : found;
}

absl::StatusOr<std::vector<TestShell::Stage>> TestShell::Parse(
    const std::string& line) const {
  std::vector<Stage> stages(1);
  std::string word;
  bool open = false, quoted = false, takes_file = false;
  char quote = 0;
  const auto finish = [&] {
    if (!open) return;
    Stage& stage = stages.back();
    const std::vector<std::string> words =
        quoted ? std::vector<std::string>{word} : Expand(word);
    if (!quoted && word == "2>&1") {
      stage.errors_too = true;
    } else if (!quoted && word == "<") {
      takes_file = true;
    } else if (takes_file) {
      stage.input_file = words[0];
      takes_file = false;
    } else {
      stage.words.insert(stage.words.end(), words.begin(), words.end());
    }
    word.clear();
    open = quoted = false;
  };
  for (char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = quoted = true;
    } else if (c == ' ' || c == '|') {
      finish();
      if (c == '|') stages.emplace_back();
    } else {
      open = true;
      word += c;
    }
  }
  finish();
  if (quote != 0) return InvalidArgument("a quote is not closed: %s", line);
  return stages;
}

absl::StatusOr<bool> TestShell::Run(const std::string& line) {
  HLOKIT_ASSIGN_OR_RETURN(const std::vector<Stage> stages, Parse(line));
  checked_ = false;
  std::string output;
  for (const Stage& stage : stages) {
    std::string input = output;
    if (!stage.input_file.empty()) {
      HLOKIT_ASSIGN_OR_RETURN(input, files_->ReadFile(stage.input_file));
    }
    HLOKIT_ASSIGN_OR_RETURN(const Result result,
                            RunProgram(stage.words, input, {}));
    if (result.exit_code != 0) {
      return Internal("%s: exit code %d: %s", absl::StrJoin(stage.words, " "),
                      result.exit_code, result.err);
    }
    output = stage.errors_too ? result.out + result.err : result.out;
  }
  return checked_;
}

absl::StatusOr<TestShell::Result> TestShell::RunProgram(
    std::vector<std::string> words, const std::string& input,
    ToolEnvironment environment) {
  if (words.empty()) return Result{0, input, ""};
  const std::string program = words[0];
  words = Rest(words, 1);
  if (program == "not") {
    HLOKIT_ASSIGN_OR_RETURN(Result result,
                            RunProgram(words, input, environment));
    result.exit_code = result.exit_code == 0 ? 1 : 0;
    return result;
  }
  if (program == "env") {
    while (!words.empty() && absl::StrContains(words[0], "=")) {
      const std::pair<std::string, std::string> set =
          absl::StrSplit(words[0], absl::MaxSplits('=', 1));
      environment[set.first] = set.second;
      words = Rest(words, 1);
    }
    return RunProgram(words, input, environment);
  }
  if (program == "xargs") return RunXargs(words, input, environment);
  if (program == "echo") return Result{0, absl::StrJoin(words, " ") + "\n", ""};
  if (program == "ls" && words.size() == 1) {
    HLOKIT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                            files_->ListDirectory(words[0]));
    std::sort(names.begin(), names.end());
    return Result{0, Joined(names), ""};
  }
  if (program == "sort" && words.empty()) {
    std::vector<std::string> lines = LinesOf(input);
    std::sort(lines.begin(), lines.end());
    return Result{0, Joined(lines), ""};
  }
  if (program == "FileCheck") return RunFileCheck(words, input);
  if (program == "hlo-opt") {
    const ToolRun run =
        RunToolWith(hlo_opt_, words, files_, environment, input);
    return Result{run.exit_code, run.out, run.err};
  }
  return Unimplemented("program %s", program);
}

absl::StatusOr<TestShell::Result> TestShell::RunXargs(
    const std::vector<std::string>& words, const std::string& input,
    const ToolEnvironment& environment) {
  if (words.size() < 3 || words[0] != "-I") {
    return Unimplemented("xargs without -I");
  }
  Result all;
  for (const std::string& line : LinesOf(input)) {
    std::vector<std::string> command = Rest(words, 2);
    for (std::string& word : command) {
      word = absl::StrReplaceAll(word, {{words[1], line}});
    }
    HLOKIT_ASSIGN_OR_RETURN(const Result result,
                            RunProgram(command, "", environment));
    all.exit_code = std::max(all.exit_code, result.exit_code);
    all.out += result.out;
    all.err += result.err;
  }
  return all;
}

absl::StatusOr<TestShell::Result> TestShell::RunFileCheck(
    const std::vector<std::string>& words, const std::string& input) {
  FileCheckOptions options;
  std::string file;
  for (size_t k = 0; k < words.size(); ++k) {
    std::string name = words[k];
    if (!absl::StartsWith(name, "-")) {
      file = name;
      continue;
    }
    name = name.substr(absl::StartsWith(name, "--") ? 2 : 1);
    const std::pair<std::string, std::string> option =
        absl::StrSplit(name, absl::MaxSplits('=', 1));
    if (option.first == "check-prefix" || option.first == "check-prefixes") {
      std::string prefixes = option.second;
      if (prefixes.empty() && k + 1 < words.size()) prefixes = words[++k];
      options.prefixes = absl::StrSplit(prefixes, ',');
    } else if (option.first == "enable-var-scope") {
      options.enable_var_scope = true;
    } else if (!absl::StartsWith(option.first, "dump-input")) {
      return Unimplemented("FileCheck --%s", option.first);
    }
  }
  HLOKIT_ASSIGN_OR_RETURN(const std::string checks, files_->ReadFile(file));
  checked_ = true;
  HLOKIT_RETURN_IF_ERROR(FileCheck(checks, file, input, options));
  return Result();
}

}  // namespace hlokit
