// For tests: runs the RUN lines of XLA's own tests without a shell: pipes of
// hlo-opt, FileCheck and the few small programs that they use (echo, env, ls,
// not, sort, xargs -I), with quotes, * in file names, < and 2>&1.
#ifndef HLOKIT_HLO_OPT_TEST_SHELL_H_
#define HLOKIT_HLO_OPT_TEST_SHELL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file_system.h"
#include "base/test_tool.h"

namespace hlokit {

class TestShell {
 public:
  TestShell(FileSystem* files, ToolMain hlo_opt)
      : files_(files), hlo_opt_(hlo_opt) {}

  // Runs a command line. True when FileCheck looked at something; Internal,
  // with the reason, when it failed or a program did; Unimplemented for
  // programs and options that are not known here.
  absl::StatusOr<bool> Run(const std::string& line);

 private:
  struct Stage {
    std::vector<std::string> words;
    std::string input_file;  // of <
    bool errors_too = false;  // 2>&1
  };
  struct Result {
    int exit_code = 0;
    std::string out;
    std::string err;
  };
  absl::StatusOr<std::vector<Stage>> Parse(const std::string& line) const;
  std::vector<std::string> Expand(const std::string& word) const;
  absl::StatusOr<Result> RunProgram(std::vector<std::string> words,
                                    const std::string& input,
                                    ToolEnvironment environment);
  absl::StatusOr<Result> RunXargs(const std::vector<std::string>& words,
                                  const std::string& input,
                                  const ToolEnvironment& environment);
  absl::StatusOr<Result> RunFileCheck(const std::vector<std::string>& words,
                                      const std::string& input);

  FileSystem* files_;
  ToolMain hlo_opt_;
  bool checked_ = false;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_TEST_SHELL_H_
