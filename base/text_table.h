// Text in columns.
//
//   TextTable table({{"bytes", TextTable::kRight}, {"instruction"}});
//   table.AddRow({"4096", "add.3"});
//   out << table.ToString();
#ifndef HLOKIT_BASE_TEXT_TABLE_H_
#define HLOKIT_BASE_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace hlokit {

class TextTable {
 public:
  enum Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = kLeft;
  };

  // When all titles are empty there is no header line.
  explicit TextTable(std::vector<Column> columns)
      : columns_(std::move(columns)) {}

  // Missing cells are empty; there may not be more cells than columns. Cells
  // may hold colours and UTF-8, but no newlines; other control characters are
  // escaped (base/escape.h: Printable).
  void AddRow(std::vector<std::string> cells);
  // A line of dashes.
  void AddRule();

  // Blanks before each line, and between columns.
  void set_indent(int indent) { indent_ = indent; }
  void set_gap(int gap) { gap_ = gap; }

  bool empty() const { return rows_.empty(); }
  // Lines without blanks at their ends, each ended by a newline.
  std::string ToString() const;

 private:
  struct Row {
    bool is_rule = false;
    std::vector<std::string> cells;
  };

  std::vector<int> Widths() const;
  void AppendCells(const std::vector<std::string>& cells,
                   const std::vector<int>& widths, std::string* out) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  int indent_ = 0;
  int gap_ = 2;
};

}  // namespace hlokit

#endif  // HLOKIT_BASE_TEXT_TABLE_H_
