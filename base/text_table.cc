#include "base/text_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/terminal.h"

namespace hlokit {
namespace {

void AppendBlanks(int count, std::string* out) {
  out->append(std::max(count, 0), ' ');
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  HLOKIT_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size());
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
