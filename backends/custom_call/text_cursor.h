// A place in a text that is read character by character, spaces left out.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_TEXT_CURSOR_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_TEXT_CURSOR_H_

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace hlokit::custom_call {

// For readers of backend_config: a base class.
class TextCursor {
 protected:
  explicit TextCursor(absl::string_view text) : text_(text) {}

  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  // '\0' at the end.
  char Peek() { return AtEnd() ? '\0' : text_[at_]; }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_TEXT_CURSOR_H_
