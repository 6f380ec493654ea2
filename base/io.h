// What a tool may touch: its streams, files and environment.
//
// A tool's Run(options, io) takes a ToolIo, so that tests call what users call,
// with string streams and files in memory.
#ifndef HLOKIT_BASE_IO_H_
#define HLOKIT_BASE_IO_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_system.h"

namespace hlokit {

struct ToolIo {
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  FileSystem* files = nullptr;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  // As ::getenv: null when the variable is not set.
  std::function<const char*(const char*)> getenv;
};

// The process' own streams, the disk and the environment. Ignores SIGPIPE from
// now on, so that a write to a closed pipe is an error that can be met quietly,
// and SIGXFSZ, so that a file beyond ulimit -f is an error too.
// Call once, at the start of main.
ToolIo StandardIo();

enum ExitCode : int {
  kOk = 0,
  kDifferent = 1,    // the answer is "different" or "failed"
  kUsage = 2,        // the command line is wrong
  kBadInput = 3,     // a file is missing, broken or not supported
  kEnvironment = 4,  // something is lacking: GPU, plugin, disk space, rights
};

// InvalidArgument, NotFound, OutOfRange, DataLoss, ResourceExhausted,
// AlreadyExists and Unimplemented are bad input; FailedPrecondition,
// Unavailable, PermissionDenied, Unauthenticated and OutOfMemory
// (memory_limit.h) the environment; OK and closed pipes are success; anything
// else is "failed".
ExitCode ExitCodeFor(const absl::Status& status);

// The whole of a file, or of io.in when `path` is "-". Binary-safe.
absl::StatusOr<std::string> ReadInput(
    const ToolIo& io, absl::string_view path,
    int64_t max_bytes = FileSystem::kMaxFileBytes);

// How `path` is called in messages: "<stdin>" for "-".
std::string InputName(absl::string_view path);

enum class OutputKind { kText, kBinary };

// Writes a whole file, or to io.out (and flushes) when `path` is "-". Binary
// contents are refused on a terminal (InvalidArgument).
absl::Status WriteOutput(const ToolIo& io, absl::string_view path,
                         absl::string_view contents,
                         OutputKind kind = OutputKind::kText);

// Flushes io.out and says whether all that was written to it arrived.
absl::Status FlushOutput(const ToolIo& io);

// True for the error of a write to a pipe that nobody reads any longer. It is
// to end the tool silently.
bool IsClosedPipe(const absl::Status& status);

// The last line of a Run: flushes io.out, prints "tool: error: text" to io.err
// unless the status is OK or a closed pipe, and gives the exit code. A text
// that holds diagnostics ("error: ") is printed as it is, but control characters
// are escaped everywhere: names out of files may hold any.
int FinishTool(const ToolIo& io, absl::string_view tool, absl::Status status);

}  // namespace hlokit

#endif  // HLOKIT_BASE_IO_H_
