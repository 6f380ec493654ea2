#include "backends/interpreter/custom_call_config.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backends/custom_call/text_cursor.h"
#include "base/status.h"

namespace hlokit::interpreter {

class ConfigReader : private custom_call::TextCursor {
 public:
  ConfigReader(absl::string_view text, CustomCallConfig* config)
      : TextCursor(text), config_(config) {}

  absl::Status Read() {
    if (AtEnd()) return absl::OkStatus();
    HLOKIT_RETURN_IF_ERROR(ReadDictionary("", 0));
    return AtEnd() ? absl::OkStatus() : Wrong();
  }

 private:
  static constexpr int kMaxDepth = 32;

  absl::Status Wrong() const {
    return InvalidArgument("cannot read the backend_config at byte %d of %s",
                           static_cast<int64_t>(at_), text_);
  }

  absl::Status ReadDictionary(const std::string& prefix, int depth) {
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
           (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_' ||
            text_[at_] == '.' || text_[at_] == '$')) {
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
    std::string& value = config_->values_[name];
    if (!Take('=') && !Take(':')) {  // a unit attribute
      value = "true";
      return absl::OkStatus();
    }
    if (Peek() == '{') return ReadDictionary(name + ".", depth + 1);
    if (Peek() == '"') {
      HLOKIT_RETURN_IF_ERROR(ReadString(&value));
    } else {
      absl::string_view raw = ReadRaw();
      if (raw.empty()) return Wrong();
      value = std::string(raw);
    }
    // The type of an MLIR attribute.
    if (Take(':')) ReadRaw();
    return absl::OkStatus();
  }

  // Up to a comma, colon or bracket that belongs to what is around.
  absl::string_view ReadRaw() {
    SkipSpace();
    const size_t start = at_;
    int open = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        std::string ignored;
        if (!ReadString(&ignored).ok()) return "";
        --at_;
      } else if (c == '[' || c == '(' || c == '<' || c == '{') {
        ++open;
      } else if (c == ']' || c == ')' || c == '>' || c == '}') {
        if (open == 0) break;
        --open;
      } else if (open == 0 && (c == ',' || c == ':')) {
        break;
      }
    }
    return absl::StripAsciiWhitespace(text_.substr(start, at_ - start));
  }

  CustomCallConfig* config_;
};

absl::StatusOr<CustomCallConfig> CustomCallConfig::Parse(
    absl::string_view text) {
  CustomCallConfig config;
  HLOKIT_RETURN_IF_ERROR(ConfigReader(text, &config).Read());
  return config;
}

absl::StatusOr<CustomCallConfig> CustomCallConfig::Of(
    const Instruction& instruction) {
  if (!instruction.backend_config().empty()) {
    return Parse(instruction.backend_config());
  }
  const auto* frontend =
      instruction.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (frontend == nullptr) return Parse("");
  const auto it = frontend->find("mhlo.backend_config");
  return Parse(it == frontend->end() ? "" : it->second);
}

const std::string* CustomCallConfig::Find(absl::string_view name) const {
  const auto it = values_.find(std::string(name));
  return it == values_.end() ? nullptr : &it->second;
}

int64_t CustomCallConfig::Int(absl::string_view name,
                              int64_t otherwise) const {
  const std::string* value = Find(name);
  int64_t number;
  return value != nullptr && absl::SimpleAtoi(*value, &number) ? number
                                                               : otherwise;
}

double CustomCallConfig::Double(absl::string_view name,
                                double otherwise) const {
  const std::string* value = Find(name);
  double number;
  return value != nullptr && absl::SimpleAtod(*value, &number) ? number
                                                               : otherwise;
}

bool CustomCallConfig::Bool(absl::string_view name, bool otherwise) const {
  const std::string* value = Find(name);
  if (value == nullptr) return otherwise;
  if (*value == "true" || *value == "1") return true;
  if (*value == "false" || *value == "0") return false;
  return otherwise;
}

std::string CustomCallConfig::String(absl::string_view name,
                                     absl::string_view otherwise) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string(otherwise) : *value;
}

char CustomCallConfig::Letter(absl::string_view name, char otherwise) const {
  const std::string* value = Find(name);
  if (value == nullptr) return otherwise;
  int64_t code;
  if (absl::SimpleAtoi(*value, &code)) return static_cast<char>(code & 0x7f);
  return value->size() == 1 ? (*value)[0] : otherwise;
}

}  // namespace hlokit::interpreter
