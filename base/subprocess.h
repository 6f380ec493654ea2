// Runs another program, with limits on its time and output.
//
// Used to keep crashes and endless loops of what is tested out of the tool
// itself, and to call helpers such as `dot` and `ptxas`.
#ifndef HLOKIT_BASE_SUBPROCESS_H_
#define HLOKIT_BASE_SUBPROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace hlokit {

struct SubprocessOptions {
  // argv[0] is looked up in PATH when it holds no slash, else from the current
  // folder. No shell is involved.
  std::vector<std::string> argv;
  std::string stdin_text;
  // From the start; then the program and all that it started (its process
  // group) are killed.
  absl::Duration time_limit = absl::InfiniteDuration();
  // What is more is read and dropped.
  int64_t max_out_bytes = int64_t{64} << 20;
  int64_t max_err_bytes = int64_t{1} << 20;
  // Of address space, for each process; 0 for no limit. CUDA programs reserve
  // far more than they use and need 0.
  int64_t memory_limit_bytes = 0;
  // Added to this process' environment.
  std::vector<std::pair<std::string, std::string>> environment;
  // Where it runs; empty: here.
  std::string working_directory;
};

struct SubprocessResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // 0 when it ended by itself
  bool timed_out = false;
  std::string out;
  std::string err;
  bool out_truncated = false;
  bool err_truncated = false;
  absl::Duration wall_time;

  bool ok() const { return exit_code == 0 && !timed_out; }
  // "exit code 3", "signal 11 (Segmentation fault)", "time limit met after 2s".
  std::string Describe() const;
};

// Runs to the end. NotFound or PermissionDenied when the program cannot be
// started; a program that fails is no error here. What the program left running
// in its process group is killed when it ends. Thread-safe.
absl::StatusOr<SubprocessResult> RunSubprocess(
    const SubprocessOptions& options);

// The same with a function of this program in place of another program: it runs
// in a forked copy, whose standard streams are the pipes, and its result is the
// exit code. For libraries that may hang or end the process. Of the options,
// argv, environment and working_directory do not count; memory_limit_bytes is
// what the copy may take on top of what there is. No other thread is in the
// copy: the function must not need what other threads may hold locked just now,
// and it never returns to the caller's code.
absl::StatusOr<SubprocessResult> RunForked(const SubprocessOptions& options,
                                           const std::function<int()>& body);

// Where `program` is in PATH, or NotFound.
absl::StatusOr<std::string> FindProgram(absl::string_view program);

// The path of the program that runs now, to start it again.
absl::StatusOr<std::string> ThisProgram();

}  // namespace hlokit

#endif  // HLOKIT_BASE_SUBPROCESS_H_
