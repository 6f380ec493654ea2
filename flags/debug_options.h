// The DebugOptions flags: every `--xla_...` flag that XLA knows, as one table.
//
//   xla::DebugOptions options = DefaultDebugOptions();
//   const DebugFlag* flag = FindDebugFlag("xla_dump_to");
//   HLOKIT_RETURN_IF_ERROR(SetDebugFlag(*flag, "/tmp/dump", &options));
//   DebugFlagValue(*flag, options);      // "/tmp/dump"
//   DebugOptionsText(options);           // "xla_dump_to: \"/tmp/dump\"\n"
//
// Rows are in debug_options.def. The table is the union of the flags of several
// XLA releases, so strings written for an older or newer one are still read;
// names, value spellings and defaults are XLA's of August 2026.
// Everything here is thread-safe (the table never changes).
#ifndef HLOKIT_FLAGS_DEBUG_OPTIONS_H_
#define HLOKIT_FLAGS_DEBUG_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla/xla.pb.h"

namespace hlokit {

// How the text after `=` is read.
enum class DebugFlagKind : uint8_t {
  kBool,        // true, false in any case, 1, 0; nothing at all means true
  kInt32,       // decimal, sign and surrounding blanks allowed
  kInt64,
  kPositive,    // int32 of 1 or more
  kFloat,       // decimal, exponent, C99 hexadecimal, inf, nan
  kString,      // anything
  kUpper,       // a string that is stored in capitals
  kDuration,    // a string: inf, 10s, 1h30m
  kCommaList,   // a,b,c: each occurrence appends; blanks are kept
  kElement,     // each occurrence appends one element
  kBlankList,   // words apart by blanks: each occurrence appends
  kMap,         // k=v,k2=v2: merges over what is there
  kEnum,        // an enum value's name in exact case
  kEnumAnyCase,
  kEnumPrefix,  // any case, the prefix in `detail` may be missing
  kWord,        // lower-case short words; `detail` "A_*_B" makes enum names
  kWordAnyCase,
  kEnumList,    // comma list replaces; all of +X / -X edit; empty clears
  kEnumSet,     // comma list replaces; ALLCOLLECTIVES means every kind
  kFilterList,  // OP[:MAXBYTES[:TYPE]],...: appends
  kRegexList,   // comma list, appended to the thunk filter's regexes
  kRangeList,   // a | a:b | a: | :b, comma apart, appended likewise
  kBoolAlias,   // a bool that writes other fields; `detail` says which
  kFuel,        // PASS=N,...: has no field, see FlagEffects
  kIgnored,     // a bool that is read and has no effect
  kFieldOnly,   // a field of DebugOptions that no flag sets
};

// The groups of `--help-all`, in the order in which they are shown.
enum class DebugFlagGroup : uint8_t {
  kDumping,
  kPasses,
  kNumerics,
  kDebugging,
  kDevices,
  kSharding,
  kCpu,
  kGpu,
  kGpuKernels,
  kGpuLibraries,
  kGpuScheduling,
  kCollectives,
  kAutotuning,
  kLlvm,
  kTesting,
};

enum class DebugFlagStatus : uint8_t {
  kExperimental,  // XLA may change or drop it at any time
  kStable,        // XLA promises six months of notice
  kDeprecated,    // still works, or is still swallowed
  kRemoved,       // only older XLA releases know it: accepted, no effect here
};

struct DebugFlag {
  absl::string_view name;  // without dashes
  DebugFlagKind kind;
  int field_number;  // in xla.DebugOptions; 0: none
  // The default in the flag's own grammar. For lists and maps "" is "empty".
  absl::string_view default_text;
  // Depends on `kind`: the name pattern of enum words ("DETECTION_MODE_*"), or
  // what a kBoolAlias writes ("field=IF_TRUE|IF_FALSE").
  absl::string_view detail;
  DebugFlagGroup group;
  DebugFlagStatus status;
  absl::string_view help;  // one short sentence, imperative, no full stop

  bool is_flag() const { return kind != DebugFlagKind::kFieldOnly; }
  // May be written as `--name` alone.
  bool is_bool() const {
    return kind == DebugFlagKind::kBool || kind == DebugFlagKind::kBoolAlias ||
           kind == DebugFlagKind::kIgnored;
  }
  // Several occurrences add up instead of the last one winning.
  bool adds_up() const;
};

// What setting a flag does beyond DebugOptions.
struct FlagEffects {
  // Set by --xla_fuel: how many changes each pass may make, in the order given.
  // nullopt: the flag did not occur. A later occurrence replaces all of it.
  absl::optional<std::vector<std::pair<std::string, int64_t>>> fuel;
  // Things worth telling the user although the value was taken, e.g. that XLA
  // itself would refuse this spelling, or that a flag has no effect any more.
  std::vector<std::string> notes;
};

// All rows, sorted by name.
absl::Span<const DebugFlag> DebugFlags();
// The row of that exact name, or null.
const DebugFlag* FindDebugFlag(absl::string_view name);
// The nearest name of a flag that can be set, or "" when nothing is near. A
// missing "xla_", hyphens, capitals, a leading "no" and typing mistakes are
// looked through.
std::string NearestDebugFlag(absl::string_view name);

absl::string_view DebugFlagGroupName(DebugFlagGroup group);  // "dumping"
absl::Span<const DebugFlagGroup> DebugFlagGroups();
// The name of the field that the flag writes, "" when there is none.
std::string DebugFlagField(const DebugFlag& flag);

// All singular fields set to the values that XLA has when no flag is given.
const xla::DebugOptions& DefaultDebugOptions();

// Reads `value` by the flag's grammar into `options`. On error nothing changes
// and the message names the flag, the value and what is accepted. `effects` may
// be null. More lenient than XLA where that is harmless (enum names in any
// case, both sets of words for the detection modes); then a note says so.
absl::Status SetDebugFlag(const DebugFlag& flag, absl::string_view value,
                          xla::DebugOptions* options,
                          FlagEffects* effects = nullptr);

// Sets a field by its proto name, as JAX's compiler_options does: fields
// without a flag are settable, lists are replaced, bools also take True/False,
// enums also their number. Maps and messages are refused.
absl::Status SetDebugField(absl::string_view field, absl::string_view value,
                           xla::DebugOptions* options);

// The value in the flag's grammar: SetDebugFlag of this text on cleared fields
// gives the same options. "" for flags without a field.
std::string DebugFlagValue(const DebugFlag& flag,
                           const xla::DebugOptions& options);

// What the flag accepts, for people: "true or false", "one of none, warning,
// fail, dump".
std::string DebugFlagAccepts(const DebugFlag& flag);
// The words that the flag accepts, where it accepts words only; for completion.
std::vector<std::string> DebugFlagWords(const DebugFlag& flag);

// The text of a `.debug_options` file: `field: value` lines in declaration
// order, only for fields that differ from DefaultDebugOptions(). Unlike XLA's
// writer strings are escaped, lists keep their order, floats keep their value
// and a cleared list is written as `field: []`.
std::string DebugOptionsText(const xla::DebugOptions& options);

// Applies the text of a `.debug_options` file (a DebugOptions text proto): only
// fields that occur overwrite (lists and maps as a whole). Fields and enum
// values not known here become `warnings`. Files written by XLA with unescaped
// quotes or backslashes in strings are understood. On error (place in `file`)
// nothing changes.
absl::Status ApplyDebugOptionsText(absl::string_view text,
                                   absl::string_view file,
                                   xla::DebugOptions* options,
                                   std::vector<std::string>* warnings);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_DEBUG_OPTIONS_H_
