#include "base/text_table.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/escape.h"
#include "base/status.h"
#include "base/terminal.h"

namespace hlokit {
namespace {

void AppendBlanks(int count, std::string* out) {
  out->append(std::max(count, 0), ' ');
}

// The length of the colour sequence (ESC [ 1 ; 31 m) that `text` starts with.
size_t ColourLength(absl::string_view text) {
  if (!absl::StartsWith(text, "\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != absl::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// Cells hold names out of files: all that may move the cursor is escaped.
std::string CleanCell(absl::string_view cell) {
  std::string clean;
  while (!cell.empty()) {
    const size_t colour = ColourLength(cell);
    const size_t next = std::min(cell.find('\x1b', 1), cell.size());
    const size_t count = colour != 0 ? colour : next;
    absl::StrAppend(&clean, colour != 0 ? std::string(cell.substr(0, count))
                                        : Printable(cell.substr(0, count)));
    cell.remove_prefix(count);
  }
  return clean;
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  HLOKIT_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = CleanCell(cell);
  rows_.push_back({false, std::move(cells)});
}

void TextTable::AddRule() { rows_.push_back({true, {}}); }

std::vector<int> TextTable::Widths() const {
  std::vector<int> widths;
  for (const Column& column : columns_) {
    widths.push_back(DisplayWidth(column.title));
  }
  for (const Row& row : rows_) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row.cells[i]));
    }
  }
  return widths;
}

void TextTable::AppendCells(const std::vector<std::string>& cells,
                            const std::vector<int>& widths,
                            std::string* out) const {
  std::string line(indent_, ' ');
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) AppendBlanks(gap_, &line);
    const int blanks = widths[i] - DisplayWidth(cells[i]);
    if (columns_[i].align == kRight) AppendBlanks(blanks, &line);
    absl::StrAppend(&line, cells[i]);
    if (columns_[i].align == kLeft) AppendBlanks(blanks, &line);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  absl::StrAppend(out, line, "\n");
}

std::string TextTable::ToString() const {
  const std::vector<int> widths = Widths();
  std::string text;
  std::vector<std::string> titles;
  bool has_titles = false;
  int total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    has_titles = has_titles || !columns_[i].title.empty();
    total += widths[i] + (i > 0 ? gap_ : 0);
  }
  if (has_titles) AppendCells(titles, widths, &text);
  for (const Row& row : rows_) {
    if (row.is_rule) {
      absl::StrAppend(&text, std::string(indent_, ' '), std::string(total, '-'),
                      "\n");
    } else {
      AppendCells(row.cells, widths, &text);
    }
  }
  return text;
}

}  // namespace hlokit
