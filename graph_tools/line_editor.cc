#include "graph_tools/line_editor.h"

#include <cstdlib>
#include <cstring>
#include <istream>
#include <ostream>
#include <utility>

#if HLOKIT_HAS_LIBEDIT
#include <editline/readline.h>
#endif

namespace hlokit {
namespace {

LineEditor::Complete* complete = nullptr;

#if HLOKIT_HAS_LIBEDIT
// The library asks for one candidate after the other.
char* NextCandidate(const char* prefix, int state) {
  static std::vector<std::string>* candidates =
      new std::vector<std::string>;
  static size_t next = 0;
  if (state == 0) {
    *candidates = (*complete)(prefix, rl_point == static_cast<int>(
                                                      std::strlen(prefix)));
    next = 0;
  }
  return next < candidates->size() ? strdup((*candidates)[next++].c_str())
                                   : nullptr;
}

char** CompleteWord(const char* prefix, int, int) {
  return rl_completion_matches(prefix, NextCandidate);
}
#endif

}  // namespace

LineEditor::LineEditor(const ToolIo& io, bool terminal, std::string prompt,
                       Complete complete_with)
    : io_(io), terminal_(terminal), prompt_(std::move(prompt)) {
  complete = new Complete(std::move(complete_with));
#if HLOKIT_HAS_LIBEDIT
  if (terminal_) {
    rl_initialize();
    using_history();
    rl_attempted_completion_function = CompleteWord;
  }
#endif
}

LineEditor::~LineEditor() {
  delete complete;
  complete = nullptr;
}

absl::optional<std::string> LineEditor::ReadLine() {
#if HLOKIT_HAS_LIBEDIT
  if (terminal_) {
    char* typed = readline(prompt_.c_str());
    if (typed == nullptr) return absl::nullopt;
    std::string line = typed;
    if (!line.empty()) add_history(typed);
    std::free(typed);
    return line;
  }
#endif
  if (terminal_) *io_.out << prompt_ << std::flush;
  std::string line;
  if (!std::getline(*io_.in, line)) return absl::nullopt;
  return line;
}

}  // namespace hlokit
