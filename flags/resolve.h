// The DebugOptions that a tool works with, put together from all the places
// where people set them.
#ifndef HLOKIT_FLAGS_RESOLVE_H_
#define HLOKIT_FLAGS_RESOLVE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io.h"
#include "flags/options.h"
#include "xla/xla.pb.h"

namespace hlokit {

struct ResolvedDebugOptions {
  xla::DebugOptions options;
  // Of --xla_fuel: changes that each pass may make. Empty: no limits.
  std::vector<std::pair<std::string, int64_t>> fuel;
  // Text for stderr: lines, each ended by a newline; "" when all is well.
  std::string warnings;
};

// In order of precedence: the --xla_... flags of the command line, the variable
// XLA_FLAGS, the --debug_options_file, XLA's defaults. A list that "adds up"
// does so over XLA_FLAGS and the command line. Errors (exit code 2) are a file
// that cannot be read or is ill-formed, or XLA_FLAGS that XLA would refuse.
absl::StatusOr<ResolvedDebugOptions> ResolveDebugOptions(
    const CommandLine& line, const ToolIo& io);
// The same with the value of XLA_FLAGS given (null: not set).
absl::StatusOr<ResolvedDebugOptions> ResolveDebugOptions(
    const CommandLine& line, const char* xla_flags, const FileSystem* files,
    bool color = false);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_RESOLVE_H_
