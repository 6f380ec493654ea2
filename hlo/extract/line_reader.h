// Reads a file line by line, with what was done to the text as a whole undone:
// markup, string literals, JSON logs, diffs.
#ifndef HLOKIT_HLO_EXTRACT_LINE_READER_H_
#define HLOKIT_HLO_EXTRACT_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "hlo/extract/markup.h"

namespace hlokit {

// What a look at the whole file says about it.
struct TextForm {
  int html_levels = 0;
  bool diff = false;          // "+", "-" or " " before each line
  bool returns_only = false;  // lines end in CR
  std::string json_key;       // of logs with a JSON object a line; else ""
};
// Takes time linear in the file.
TextForm SurveyText(absl::string_view file);

struct TextLine {
  absl::string_view text;  // without its line end; valid until Next()
  int64_t number = 0;      // in the file
  int64_t shift = 0;       // bytes taken away in front of it
  // The line as it is in the file, line end included, when nothing was done to
  // it; else empty.
  absl::string_view whole;
  bool joined = false;  // goes on in the next TextLine without a line break
};

struct ReaderCounts {
  MarkupCounts markup;
  int64_t literal_lines = 0;  // lines that came out of string literals
  int64_t json_lines = 0;
  int64_t removed_lines = 0;  // "-" lines of a diff
  int64_t added_lines = 0;    // "+" lines of a diff
};

// Copies are cheap and read on from the same place: for looking ahead.
class LineReader {
 public:
  // `file` and `form` must outlive the reader.
  LineReader(absl::string_view file, const TextForm& form)
      : file_(file), form_(&form) {}
  LineReader(const LineReader& other) { *this = other; }
  LineReader& operator=(const LineReader& other);

  // False at the end of the file.
  bool Next(TextLine* line);
  const ReaderCounts& counts() const { return counts_; }

 private:
  absl::string_view TakeRawLine();
  bool TakePending(TextLine* line);
  bool DecodeLine(absl::string_view raw);
  void Queue(std::string text);
  // False when the diff leaves the line out.
  bool TakeDiffMark(absl::string_view* text);

  absl::string_view file_;
  const TextForm* form_;
  size_t at_ = 0;
  int64_t number_ = 0;
  // Lines decoded from one line of the file.
  std::shared_ptr<const std::string> pending_;
  size_t pending_at_ = 0;
  int64_t pending_number_ = 0;
  bool pending_joins_ = false;
  std::string buffer_;
  ReaderCounts counts_;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_LINE_READER_H_
