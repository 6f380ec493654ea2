// The names of dump files: how they are put together and taken apart.
//
//   [<time in microseconds>.]module_<number>[.<module>].<suffix><ending>
//
// The number has at least four digits. A file name has at most 255 bytes: the
// module's name is left out where it does not fit, and a suffix that is still
// too long is cut in the middle. `/ \ [ ]`, blanks and control characters become
// `_`. Thread-safe.
#ifndef HLOKIT_DUMP_DUMP_NAMES_H_
#define HLOKIT_DUMP_DUMP_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace hlokit {

// Returns a name for one file or folder: the characters above replaced, a
// leading '-' too, never "." or "..", and at most 255 bytes.
std::string SanitizeFileName(absl::string_view name);

struct DumpNameParts {
  int64_t module_id = 0;
  absl::string_view module_name;
  absl::string_view suffix;               // with its ending
  absl::optional<int64_t> timestamp_us;   // in front
  absl::string_view prefix;               // in front, e.g. a computation's name
};

// Not sanitized yet.
std::string DumpFileName(const DumpNameParts& parts);
// "NNNN.<pipeline>.after_<previous>.before_<next>".
std::string PassSuffix(int64_t step, absl::string_view pipeline,
                       absl::string_view previous, absl::string_view next);

// "HOST_PID" of this process: the name of its own sub-folder.
std::string HostAndPid();

// ---- taking apart ----

// A name taken apart. Members that do not apply are empty.
struct DumpName {
  int64_t id = 0;
  std::string module;  // "" when the name is left out
  // "before_optimizations", "cpu_after_optimizations", "snapshot",
  // "debug_options", ...: what was dumped. Empty for dumps around a pass.
  std::string stage;
  // What kind of file: "text", "hlo proto", "html", ... (see kForms), followed
  // by ", gzip" or ", zstd" where it is compressed.
  std::string form;
  // Of a stage: "buffer-assignment", "memory-usage-report", "top_level", or
  // what an artifact belongs to (a kernel's name, a shard).
  std::string part;
  absl::optional<int64_t> time_us;
  absl::optional<int64_t> step;  // of dumps around and within passes
  std::string pipeline, after, before;
  std::string pass, label;           // of dumps within a pass
  absl::optional<int64_t> run;        // of snapshots
  absl::optional<int64_t> execution;  // of unoptimized snapshots
  absl::optional<int64_t> changelist;  // ".cl_123" of Google's own builds

  bool is_pass_dump() const { return step.has_value(); }
  // Whether the file holds an HLO module that can be loaded.
  bool holds_module() const;
  // The form without its compression.
  absl::string_view plain_form() const;
  bool is_text() const { return plain_form() == "text"; }
};

// Returns a dump's name taken apart; nullopt for some other file's. The names
// that profiles give to modules ("jit_step(12345).hlo_proto.pb", where the
// number is the program's) count too. `known_module` helps where the module's
// name and an artifact's part (both may hold dots) are side by side.
std::optional<DumpName> ParseDumpName(absl::string_view name,
                                      absl::string_view known_module = "");
// The same for many names of one folder: modules named by one file help to read
// the others.
std::vector<std::optional<DumpName>> ParseDumpNames(
    const std::vector<std::string>& names);

// "before", "after", "pass", ...: a rank that puts the dumps of one module into
// the order in which they were written, as far as names tell.
int StageRank(const DumpName& name);

// The ids of modules that are one compilation whose number changed on the way,
// by names alone: the same name, one has only dumps from before optimization
// and the next number only later ones. Groups of two or more ids.
std::vector<std::vector<int64_t>> SameCompilations(
    const std::vector<std::optional<DumpName>>& names);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_DUMP_NAMES_H_
