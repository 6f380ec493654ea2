// Cuts a file into modules.
#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "hlo/parse/parser.h"

namespace hlokit {
namespace {

constexpr absl::string_view kHeader = "HloModule";

bool IsHeader(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, kHeader)) return false;
  return !line.empty() && absl::ascii_isspace(line[0]);
}

// Nothing but blanks and line comments.
bool IsEmptyLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return line.empty() || absl::StartsWith(line, "//");
}

std::string NameInHeader(absl::string_view line) {
  line.remove_prefix(kHeader.size());
  line = absl::StripLeadingAsciiWhitespace(line);
  return std::string(line.substr(0, line.find_first_of(", \t\r\n")));
}

// Calls `take(line, begin, number)` for each line, its end included.
template <typename Take>
void ForEachLine(absl::string_view file, Take take) {
  int64_t number = 1;
  for (size_t at = 0; at < file.size(); ++number) {
    const size_t end = std::min(file.find('\n', at), file.size() - 1) + 1;
    take(file.substr(at, end - at), at, number);
    at = end;
  }
}

bool IsSeparator(absl::string_view line, absl::string_view separator) {
  absl::ConsumeSuffix(&line, "\n");
  absl::ConsumeSuffix(&line, "\r");
  return line == separator;
}

bool HasSeparator(absl::string_view file, absl::string_view separator) {
  if (separator.empty()) return false;
  for (size_t at = file.find(separator); at != file.npos;
       at = file.find(separator, at + 1)) {
    if (at > 0 && file[at - 1] != '\n') continue;
    const size_t end = std::min(file.find('\n', at), file.size());
    if (IsSeparator(file.substr(at, end - at), separator)) return true;
  }
  return false;
}

// Collects lines into modules.
class PieceCollector {
 public:
  explicit PieceCollector(absl::string_view file) : file_(file) {}

  void Add(absl::string_view line, size_t begin, int64_t number) {
    if (is_empty_) {
      begin_ = begin;
      piece_.first_line = number;
      is_empty_ = false;
    }
    has_content_ |= !IsEmptyLine(line);
    if (piece_.name.empty() && IsHeader(line)) piece_.name = NameInHeader(line);
  }
  // Ends the piece before the byte `end`.
  void End(size_t end) {
    if (has_content_) {
      piece_.text = file_.substr(begin_, end - begin_);
      pieces_.push_back(std::move(piece_));
    }
    piece_ = ModuleText();
    is_empty_ = true;
    has_content_ = false;
  }
  std::vector<ModuleText> Take() {
    End(file_.size());
    return std::move(pieces_);
  }

 private:
  absl::string_view file_;
  std::vector<ModuleText> pieces_;
  ModuleText piece_;
  size_t begin_ = 0;
  bool is_empty_ = true;
  bool has_content_ = false;
};

}  // namespace

std::vector<ModuleText> SplitModules(absl::string_view file,
                                     absl::string_view separator) {
  PieceCollector collector(file);
  const bool at_separators = HasSeparator(file, separator);
  bool has_content = false;
  ForEachLine(file, [&](absl::string_view line, size_t begin, int64_t number) {
    if (at_separators ? IsSeparator(line, separator) : IsHeader(line)) {
      // Comments and blank lines above the first header belong to it.
      if (at_separators || has_content) collector.End(begin);
      if (at_separators) return;
    }
    has_content |= !IsEmptyLine(line);
    collector.Add(line, begin, number);
  });
  return collector.Take();
}

}  // namespace hlokit
