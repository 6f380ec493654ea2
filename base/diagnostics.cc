#include "base/diagnostics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/escape.h"
#include "base/terminal.h"

namespace hlokit {
namespace {

// Indentation, this and "..." at both ends make 80 columns.
constexpr size_t kMaxExcerptBytes = 72;
constexpr absl::string_view kIndent = "  ";
constexpr absl::string_view kCut = "...";

struct SeverityLook {
  absl::string_view name;
  Style style;
};

SeverityLook LookOf(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return {"note", Style::kCyan};
    case Severity::kWarning:
      return {"warning", Style::kMagenta};
    case Severity::kError:
      break;
  }
  return {"error", Style::kBoldRed};
}

bool IsContinuationByte(char c) { return (c & 0xc0) == 0x80; }

absl::string_view LineAround(absl::string_view source, size_t offset) {
  const size_t before =
      offset == 0 ? absl::string_view::npos : source.rfind('\n', offset - 1);
  const size_t begin = before == absl::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(source.find('\n', offset), source.size());
  return source.substr(begin, end - begin);
}

// What a terminal can show of `text`: one column for each code point, and no
// byte that could command the terminal.
std::string PrintableLine(absl::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const int length = Utf8SequenceLength(text);
    const unsigned char c = text[0];
    if (c == '\t') {
      printable += ' ';
    } else if (length == 0 || c < 0x20 || c == 0x7f ||
               (length == 2 && c == 0xc2 &&
                static_cast<unsigned char>(text[1]) < 0xa0)) {
      printable += '?';
    } else {
      printable.append(text.data(), length);
    }
    text.remove_prefix(std::max(length, 1));
  }
  return printable;
}

// The source line and the caret below it; nothing for an empty line.
std::string Excerpt(absl::string_view source, size_t offset, Painter paint) {
  const absl::string_view line =
      absl::StripSuffix(LineAround(source, offset), "\r");
  if (line.empty()) return "";
  const size_t at =
      std::min<size_t>(source.data() + offset - line.data(), line.size());
  size_t begin = 0;
  size_t end = line.size();
  if (line.size() > kMaxExcerptBytes) {
    begin = at > kMaxExcerptBytes / 2 ? at - kMaxExcerptBytes / 2 : 0;
    begin = std::min(begin, line.size() - kMaxExcerptBytes);
    end = begin + kMaxExcerptBytes;
    while (begin < at && IsContinuationByte(line[begin])) ++begin;
    while (end < line.size() && end > at && IsContinuationByte(line[end])) {
      --end;
    }
  }
  const std::string left =
      absl::StrCat(begin > 0 ? kCut : "",
                   PrintableLine(line.substr(begin, at - begin)));
  const std::string right =
      absl::StrCat(PrintableLine(line.substr(at, end - at)),
                   end < line.size() ? kCut : "");
  return absl::StrCat(kIndent, left, right, "\n", kIndent,
                      std::string(DisplayWidth(left), ' '),
                      paint(Style::kBoldGreen, "^"), "\n");
}

}  // namespace

SourcePlace PlaceOf(absl::string_view source, size_t offset) {
  offset = std::min(offset, source.size());
  const absl::string_view before = source.substr(0, offset);
  const size_t newline = before.rfind('\n');
  SourcePlace place;
  place.line = 1 + std::count(before.begin(), before.end(), '\n');
  place.column = newline == absl::string_view::npos
                     ? static_cast<int64_t>(offset) + 1
                     : static_cast<int64_t>(offset - newline);
  return place;
}

void Diagnostics::Error(std::string message, size_t offset) {
  ++errors_;
  all_.push_back({Severity::kError, std::move(message), offset});
}

void Diagnostics::Warning(std::string message, size_t offset) {
  all_.push_back({Severity::kWarning, std::move(message), offset});
}

void Diagnostics::Note(std::string message, size_t offset) {
  all_.push_back({Severity::kNote, std::move(message), offset});
}

SourcePlace Diagnostics::PlaceInFile(SourcePlace place) const {
  const int64_t index = place.line - 1;
  auto run = std::upper_bound(
      lines_.begin(), lines_.end(), index,
      [](int64_t line, const LineShift& shift) { return line < shift.line; });
  if (run == lines_.begin()) {
    return {first_line_ + index, place.column};
  }
  --run;
  return {run->file_line + index - run->line, place.column + run->shift};
}

std::string Diagnostics::ToString(bool color) const {
  const Painter paint(color);
  std::string text;
  // Most faults come in the order of the text: the line count goes on from the
  // place before.
  size_t counted_to = 0;
  int64_t line = 1;
  for (const Diagnostic& diagnostic : all_) {
    const bool placed = diagnostic.offset != Diagnostic::kNoOffset;
    const bool has_line = placed && !source_.empty();
    const size_t offset = std::min(diagnostic.offset, source_.size());
    std::string place = file_;
    if (has_line) {
      if (offset < counted_to) {
        counted_to = 0;
        line = 1;
      }
      line += std::count(source_.begin() + counted_to,
                         source_.begin() + offset, '\n');
      counted_to = offset;
      const absl::string_view prefix = LineAround(source_, offset);
      const int64_t column = source_.data() + offset - prefix.data() + 1;
      const SourcePlace in_file = PlaceInFile({line, column});
      absl::StrAppend(&place, place.empty() ? "" : ":", in_file.line, ":",
                      in_file.column);
    } else if (placed) {
      absl::StrAppend(&place, place.empty() ? "" : ": ", "byte ",
                      diagnostic.offset);
    }
    if (!place.empty()) {
      absl::StrAppend(&text, paint(Style::kBold, place + ":"), " ");
    }
    const SeverityLook look = LookOf(diagnostic.severity);
    absl::StrAppend(&text, paint(look.style, absl::StrCat(look.name, ":")), " ",
                    diagnostic.message, "\n");
    if (has_line) text += Excerpt(source_, offset, paint);
  }
  return text;
}

absl::Status Diagnostics::ToStatus() const {
  if (!has_errors()) return absl::OkStatus();
  const std::string text = ToString();
  return absl::InvalidArgumentError(absl::StripSuffix(text, "\n"));
}

}  // namespace hlokit
