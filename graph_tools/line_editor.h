// Lines from a person: edited with the arrow keys, a history and completion on
// a terminal (libedit), plain elsewhere or in a build without it.
#ifndef HLOKIT_GRAPH_TOOLS_LINE_EDITOR_H_
#define HLOKIT_GRAPH_TOOLS_LINE_EDITOR_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/io.h"

namespace hlokit {

class LineEditor {
 public:
  // The words that may stand for `prefix`; `first` when it starts the line.
  using Complete = std::function<std::vector<std::string>(
      absl::string_view prefix, bool first)>;

  // `terminal`: whether a person types. One at a time.
  LineEditor(const ToolIo& io, bool terminal, std::string prompt,
             Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Without its newline; nothing at the end of the input.
  absl::optional<std::string> ReadLine();

 private:
  const ToolIo& io_;
  bool terminal_;
  std::string prompt_;
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_LINE_EDITOR_H_
