#include "passes/library_calls/config_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "base/status.h"

namespace hlokit {
namespace {

class ConfigTextReader {
 public:
  ConfigTextReader(absl::string_view text, ConfigValues* values)
      : text_(text), values_(values) {}

  absl::Status Read() {
    if (Peek() == '\0') return absl::OkStatus();
    HLOKIT_RETURN_IF_ERROR(ReadObject("", 0));
    return Peek() == '\0' ? absl::OkStatus() : Wrong();
  }

 private:
  static constexpr int kMaxDepth = 32;

  absl::Status Wrong() const {
    constexpr size_t kShown = 40;
    return InvalidArgument(
        "the backend_config is not a JSON object: byte %d, at '%s'",
        static_cast<int64_t>(at_),
        absl::CHexEscape(text_.substr(std::min(at_, text_.size()), kShown)));
  }

  // The next byte that is not a blank; '\0' at the end.
  char Peek() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  absl::Status ReadObject(const std::string& prefix, int depth) {
    if (depth > kMaxDepth || !Take('{')) return Wrong();
    if (Take('}')) return absl::OkStatus();
    do {
      std::string name;
      HLOKIT_RETURN_IF_ERROR(ReadName(&name));
      HLOKIT_RETURN_IF_ERROR(ReadValue(prefix + name, depth));
    } while (Take(','));
    return Take('}') ? absl::OkStatus() : Wrong();
  }

  absl::Status ReadName(std::string* name) {
    if (Peek() == '"') return ReadString(name);
    const size_t start = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(text_[at_]) ||
            absl::StrContains("_.$", text_.substr(at_, 1)))) {
      ++at_;
    }
    *name = std::string(text_.substr(start, at_ - start));
    return name->empty() ? Wrong() : absl::OkStatus();
  }

  absl::Status ReadString(std::string* value) {
    const size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size()) return Wrong();
    const absl::string_view raw = text_.substr(start, at_ - start);
    ++at_;
    if (!absl::CUnescape(raw, value)) *value = std::string(raw);
    return absl::OkStatus();
  }

  absl::Status ReadValue(const std::string& name, int depth) {
    if (!Take('=') && !Take(':')) {
      (*values_)[name] = "true";
      return absl::OkStatus();
    }
    if (Peek() == '{') return ReadObject(name + ".", depth + 1);
    std::string value;
    if (Peek() == '"') {
      HLOKIT_RETURN_IF_ERROR(ReadString(&value));
    } else {
      HLOKIT_RETURN_IF_ERROR(ReadRaw(&value));
    }
    (*values_)[name] = std::move(value);
    std::string type;  // of an MLIR attribute
    return Take(':') ? ReadRaw(&type) : absl::OkStatus();
  }

  // Up to a comma, colon or bracket that belongs to the object around.
  absl::Status ReadRaw(std::string* value) {
    const size_t start = at_;
    int open = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        std::string ignored;
        HLOKIT_RETURN_IF_ERROR(ReadString(&ignored));
        continue;
      }
      if (c == '[' || c == '(' || c == '<' || c == '{') {
        ++open;
      } else if (c == ']' || c == ')' || c == '>' || c == '}') {
        if (open == 0) break;
        --open;
      } else if (open == 0 && (c == ',' || c == ':')) {
        break;
      }
      ++at_;
    }
    *value = std::string(
        absl::StripAsciiWhitespace(text_.substr(start, at_ - start)));
    return value->empty() || open != 0 ? Wrong() : absl::OkStatus();
  }

  const absl::string_view text_;
  size_t at_ = 0;
  ConfigValues* const values_;
};

}  // namespace

absl::StatusOr<ConfigValues> ParseConfigText(absl::string_view text) {
  ConfigValues values;
  HLOKIT_RETURN_IF_ERROR(ConfigTextReader(text, &values).Read());
  return values;
}

}  // namespace hlokit
