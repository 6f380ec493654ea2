// hlo-dumps: looks at dump folders.
//
//   hlo-dumps ls FOLDER               modules, stages, passes, sizes
//   hlo-dumps find REGEX FOLDER...    which module holds it
//   hlo-dumps passes FOLDER MODULE    what each pass changed
//   hlo-dumps why-empty [FOLDER]      what is missing and how to get it
//   hlo-dumps pair A B                the same modules in two folders
//   hlo-dumps pack FOLDER FILE        one small file; unpack FILE FOLDER
//
// Exit codes: 0; 1 nothing found, pairs missing, or a cause for emptiness; 2
// usage; 3 bad input; 4 environment.
#ifndef HLOKIT_DUMP_HLO_DUMPS_H_
#define HLOKIT_DUMP_HLO_DUMPS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/io.h"
#include "dump/dump_search.h"
#include "flags/options.h"

namespace hlokit {

struct HloDumpsOptions {
  bool json = false;
  std::string names;   // of ls: a file with names, - for standard input
  bool all = false;    // ls: every file; passes: also those without change
  SearchQuery query;   // of find
  bool count = false;  // of find: only numbers
  std::string flags;   // of why-empty, instead of the variable
  int32_t level = 6;   // of pack
  int64_t max_bytes = 0;  // of unpack; 0: its own limit
  int32_t threads = 0;
};

OptionSet MakeHloDumpsOptions(HloDumpsOptions* options);

// The whole tool; arguments without the program's name. Returns the exit code.
int RunHloDumps(absl::Span<const std::string> arguments, const ToolIo& io);

// The commands; `arguments` follow the command's name. The int is the exit code
// of an answer.
absl::StatusOr<int> ListDumps(const HloDumpsOptions& options,
                              absl::Span<const std::string> arguments,
                              const ToolIo& io);
absl::StatusOr<int> FindInDumps(const HloDumpsOptions& options,
                                absl::Span<const std::string> arguments,
                                const ToolIo& io);
absl::StatusOr<int> ShowPasses(const HloDumpsOptions& options,
                               absl::Span<const std::string> arguments,
                               const ToolIo& io);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_HLO_DUMPS_H_
