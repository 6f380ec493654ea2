#include "hlo/print/json_sort.h"

#include <map>

#include "absl/strings/ascii.h"

namespace hlokit {
namespace {

// Reads one JSON value and appends it sorted.
class Sorter {
 public:
  explicit Sorter(absl::string_view text) : text_(text) {}

  bool Value(std::string* out, int depth = 0) {
    if (depth > 100) return false;
    Skip();
    if (text_.empty()) return false;
    if (text_[0] == '{') return Object(out, depth);
    if (text_[0] == '[') return Array(out, depth);
    if (text_[0] == '"') return String(out);
    return Word(out);
  }
  bool AtEnd() {
    Skip();
    return text_.empty();
  }

 private:
  void Skip() { text_ = absl::StripLeadingAsciiWhitespace(text_); }
  bool Take(char c) {
    Skip();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool String(std::string* out) {
    for (size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        out->append(text_.data(), i + 1);
        text_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool Word(std::string* out) {
    size_t n = 0;
    while (n < text_.size() && (absl::ascii_isalnum(
                                    static_cast<unsigned char>(text_[n])) ||
                                text_[n] == '-' || text_[n] == '+' ||
                                text_[n] == '.')) {
      ++n;
    }
    if (n == 0) return false;
    out->append(text_.data(), n);
    text_.remove_prefix(n);
    return true;
  }

  bool Array(std::string* out, int depth) {
    Take('[');
    *out += '[';
    if (!Take(']')) {
      for (bool first = true;; first = false) {
        if (!first) *out += ',';
        if (!Value(out, depth + 1)) return false;
        if (Take(']')) break;
        if (!Take(',')) return false;
      }
    }
    *out += ']';
    return true;
  }

  bool Object(std::string* out, int depth) {
    Take('{');
    std::map<std::string, std::string> members;
    if (!Take('}')) {
      for (;;) {
        std::string key, value;
        Skip();
        if (text_.empty() || text_[0] != '"' || !String(&key) || !Take(':') ||
            !Value(&value, depth + 1)) {
          return false;
        }
        members[key] = value;
        if (Take('}')) break;
        if (!Take(',')) return false;
      }
    }
    *out += '{';
    bool first = true;
    for (const auto& [key, value] : members) {
      if (!first) *out += ',';
      first = false;
      *out += key + ":" + value;
    }
    *out += '}';
    return true;
  }

  absl::string_view text_;
};

}  // namespace

std::string SortJsonKeys(absl::string_view json) {
  std::string sorted;
  Sorter sorter(json);
  if (sorter.Value(&sorted) && sorter.AtEnd()) return sorted;
  return std::string(json);
}

}  // namespace hlokit
