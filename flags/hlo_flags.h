// hlo-flags: lists, explains, checks and compares the flags of XLA_FLAGS.
//
//   hlo-flags list dump            the flags whose names hold "dump"
//   hlo-flags explain NAME         one flag, field or environment variable
//   hlo-flags check [STRING]       what XLA makes of STRING or of XLA_FLAGS
//   hlo-flags check --who          where each effective value comes from
//   hlo-flags diff A B             two strings or files
//
// Exit codes: 0; 1 when a string is refused or two differ; 2 usage; 3 a name or
// file that is not there.
#ifndef HLOKIT_FLAGS_HLO_FLAGS_H_
#define HLOKIT_FLAGS_HLO_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "base/json_writer.h"
#include "flags/debug_options.h"
#include "flags/options.h"

namespace hlokit {

struct HloFlagsOptions {
  bool json = false;
  bool who = false;
  std::string group;               // of list
  std::string debug_options_file;  // of check --who
  std::string command_line;        // of check --who
  std::string variable = "XLA_FLAGS";  // whose value `check` looks at
};

OptionSet MakeHloFlagsOptions(HloFlagsOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code.
int RunHloFlags(absl::Span<const std::string> arguments, const ToolIo& io);

// The commands. `arguments` follow the command's name. The int is the exit code
// of an answer; an error is one of input.
absl::StatusOr<int> ListFlags(const HloFlagsOptions& options,
                              absl::Span<const std::string> arguments,
                              const ToolIo& io);
absl::StatusOr<int> ExplainFlags(const HloFlagsOptions& options,
                                 absl::Span<const std::string> arguments,
                                 const ToolIo& io);
absl::StatusOr<int> CheckFlags(const HloFlagsOptions& options,
                               absl::Span<const std::string> arguments,
                               const ToolIo& io);
absl::StatusOr<int> DiffFlags(const HloFlagsOptions& options,
                              absl::Span<const std::string> arguments,
                              const ToolIo& io);

// "bool", "int32", "enum list": the type as people say it.
absl::string_view DebugFlagTypeName(const DebugFlag& flag);
// The flag's value in `options` as JSON: bools, numbers, lists and maps as
// such, everything else as a string. `written` stands in for flags without a
// field.
void WriteFlagValue(const DebugFlag& flag, const xla::DebugOptions& options,
                    absl::string_view written, JsonWriter* json);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_HLO_FLAGS_H_
