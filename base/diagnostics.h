// Diagnostics: what is wrong with an input, and where.
//
// A reader adds one Diagnostic for each fault and goes on; the tool prints them
// all as
//
//   file.hlo:12:7: error: no instruction is called 'ad'; did you mean 'add'?
//     c = f32[] add(a, ad)
//                      ^
//   file.hlo:3:1: note: ...
//
// Places are byte offsets while reading; line and column are worked out only
// when a diagnostic is made into text, so readers pay nothing for them.
#ifndef HLOKIT_BASE_DIAGNOSTICS_H_
#define HLOKIT_BASE_DIAGNOSTICS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hlokit {

enum class Severity { kNote, kWarning, kError };

// A 1-based line and column (in bytes). line 0 means "the file as a whole".
struct SourcePlace {
  int64_t line = 0;
  int64_t column = 0;
};

struct Diagnostic {
  static constexpr size_t kNoOffset = static_cast<size_t>(-1);
  Severity severity = Severity::kError;
  std::string message;
  size_t offset = kNoOffset;  // byte offset in the source text
};

// Works out line and column of a byte offset; the offset may be the end.
SourcePlace PlaceOf(absl::string_view source, size_t offset);

// From line `line` (from 0) of a source on, its lines are those of a file from
// `file_line` (from 1) on, with `shift` bytes taken away in front of each.
struct LineShift {
  int64_t line = 0;
  int64_t file_line = 1;
  int64_t shift = 0;
};

// Collects the diagnostics of one input. Not thread-safe.
class Diagnostics {
 public:
  // `source` must outlive this object; may be empty for binary inputs.
  // `first_line` is the line number of the first line of `source` in the file
  // (a module that starts in the middle of a file has its right numbers).
  explicit Diagnostics(std::string file = "", absl::string_view source = {},
                       int64_t first_line = 1)
      : file_(std::move(file)), source_(source), first_line_(first_line) {}

  // Tells where the lines of the source are in the file, when they are not there
  // one below the other; sorted by line. Empty: first_line says it.
  void SetLines(std::vector<LineShift> lines) { lines_ = std::move(lines); }

  void Error(std::string message, size_t offset = Diagnostic::kNoOffset);
  void Warning(std::string message, size_t offset = Diagnostic::kNoOffset);
  void Note(std::string message, size_t offset = Diagnostic::kNoOffset);

  bool has_errors() const { return errors_ > 0; }
  int64_t error_count() const { return errors_; }
  // After this many errors the reader should stop.
  bool full() const { return errors_ >= kMaxErrors; }
  const std::vector<Diagnostic>& all() const { return all_; }
  const std::string& file() const { return file_; }
  absl::string_view source() const { return source_; }

  // The text shown above, one block each, every line ended by a newline. Long
  // source lines are cut around the place. `color` adds terminal escapes.
  std::string ToString(bool color = false) const;
  // OK without errors, else InvalidArgument whose message is ToString() without
  // its last newline.
  absl::Status ToStatus() const;

 private:
  static constexpr int64_t kMaxErrors = 20;
  // The place in the file of a place in the source.
  SourcePlace PlaceInFile(SourcePlace place) const;

  std::string file_;
  absl::string_view source_;
  int64_t first_line_;
  std::vector<LineShift> lines_;
  std::vector<Diagnostic> all_;
  int64_t errors_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_DIAGNOSTICS_H_
