// Puts the lines of one module together and keeps the places where they were.
#ifndef HLOKIT_HLO_EXTRACT_MODULE_COLLECTOR_H_
#define HLOKIT_HLO_EXTRACT_MODULE_COLLECTOR_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "hlo/extract/line_reader.h"
#include "hlo/parse/parser.h"

namespace hlokit {

class ModuleCollector {
 public:
  // Appends `text`, a part of line.text, as a line of the module. `joined`: the
  // next line goes on in the same line.
  void Add(absl::string_view text, const TextLine& line, bool joined = false);

  // The module, whose name, banner and so on are still to be set.
  ModuleText Take(bool join_wrapped);

  // Whether anything but blanks was appended.
  bool has_text() const { return has_text_; }

 private:
  void Own();
  void MapLine(const TextLine& line, int64_t shift);

  ModuleText module_;
  absl::string_view view_;  // of the file, while all lines are as they were
  std::string owned_;
  bool is_owned_ = false;
  bool joins_ = false;
  bool has_text_ = false;
  int64_t lines_ = 0;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_EXTRACT_MODULE_COLLECTOR_H_
