// What run_hlo_module says about its runs, beside the plain lines: JSON
// records, files with what differs, the command that repeats a run.
#ifndef HLOKIT_REPLAY_REPORT_H_
#define HLOKIT_REPLAY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file_system.h"
#include "base/json_writer.h"
#include "hlo/ir/literal.h"
#include "replay/compare.h"
#include "replay/rounding_check.h"

namespace hlokit {

// One comparison of the result with something.
struct ResultCheck {
  std::string against;  // "Interpreter", "snapshot", "expected.npz"
  Comparison comparison;
  std::optional<RoundingCheck> rounding;  // of a difference, where it was made
};

// One run of one module (or of one piece of it).
struct RunRecord {
  std::string file;
  std::string module;
  std::string instruction;  // of a piece; else empty
  int64_t iteration = 1;
  std::string status;  // "ok", "mismatch", "error", "skipped"
  std::string error;   // text of "error" and "skipped"
  std::string test;
  std::string reference;  // empty: none
  std::string inputs;     // "fake data", "snapshot", ...
  double seconds = 0;
  double reference_seconds = 0;
  std::vector<ResultCheck> checks;
};

// An object with these members; the largest errors and the number of elements
// that differ over all checks, then each check alone.
void AppendJson(const RunRecord& record, JsonWriter* json);

// What a check of roundings says about a difference; one line.
std::string RoundingLine(const RoundingCheck& check);

// Elements that differ.
int64_t MismatchCount(const Comparison& comparison);

// Writes expected, actual and mismatches (pred) as <stem>-<name>.pb, a binary
// LiteralProto, and .txt, into the folder, which is made when it is missing.
// Mismatches only where the shapes agree. Returns the paths of the .txt files.
absl::StatusOr<std::vector<std::string>> WriteMismatchFiles(
    FileSystem* files, absl::string_view folder, absl::string_view stem,
    const Literal& expected, const Literal& actual, const ErrorSpec& spec);

// A line for the shell.
std::string ShellCommand(absl::string_view program,
                         absl::Span<const std::string> arguments);

// The text without what file names should not hold.
std::string FileStem(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_REPORT_H_
