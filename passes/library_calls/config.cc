#include "passes/library_calls/config.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace hlokit {

class LibraryConfigReader {
 public:
  LibraryConfigReader(absl::string_view text, LibraryConfig* config)
      : text_(text), config_(config) {}

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

  // '\0' at the end.
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
      if (!Take(':') && !Take('=')) return Wrong();
      HLOKIT_RETURN_IF_ERROR(ReadValue(prefix + name, depth));
    } while (Take(','));
    return Take('}') ? absl::OkStatus() : Wrong();
  }

  absl::Status ReadName(std::string* name) {
    if (Peek() == '"') return ReadString(name);
    const size_t start = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_')) {
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
    if (Peek() == '{') return ReadObject(name + ".", depth + 1);
    std::string value;
    if (Peek() == '"') {
      HLOKIT_RETURN_IF_ERROR(ReadString(&value));
    } else {
      HLOKIT_RETURN_IF_ERROR(ReadRaw(&value));
    }
    config_->values_[name] = std::move(value);
    std::string type;  // of a dictionary's number
    return Take(':') ? ReadRaw(&type) : absl::OkStatus();
  }

  // A list as it is written, or a number or word.
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
      if (c == '[' || c == '{' || c == '<') {
        ++open;
      } else if (c == ']' || c == '}' || c == '>') {
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

  absl::string_view text_;
  size_t at_ = 0;
  LibraryConfig* config_;
};

absl::StatusOr<LibraryConfig> LibraryConfig::Parse(absl::string_view text) {
  LibraryConfig config;
  HLOKIT_RETURN_IF_ERROR(LibraryConfigReader(text, &config).Read());
  return config;
}

bool LibraryConfig::Enter(absl::string_view section) {
  const std::string prefix = absl::StrCat(prefix_, section, ".");
  const auto it = values_.lower_bound(prefix);
  if (it == values_.end() || !absl::StartsWith(it->first, prefix)) return false;
  prefix_ = prefix;
  return true;
}

bool LibraryConfig::empty() const {
  const auto it = values_.lower_bound(prefix_);
  return it == values_.end() || !absl::StartsWith(it->first, prefix_);
}

const std::string* LibraryConfig::Find(absl::string_view name) {
  std::string full = absl::StrCat(prefix_, name);
  const auto it = values_.find(full);
  known_[std::move(full)] = true;
  return it == values_.end() || it->second == "null" ? nullptr : &it->second;
}

void LibraryConfig::Wrong(absl::string_view name, absl::string_view value,
                          absl::string_view kind) {
  if (!status_.ok()) return;
  status_ = InvalidArgument("%s in the backend_config must be %s, found %s",
                            name, kind, value.empty() ? "\"\"" : value);
}

bool LibraryConfig::Has(absl::string_view name) {
  return Find(name) != nullptr;
}

int64_t LibraryConfig::Int(absl::string_view name, int64_t otherwise) {
  const std::string* value = Find(name);
  int64_t number = otherwise;
  if (value != nullptr && !absl::SimpleAtoi(*value, &number)) {
    Wrong(name, *value, "an integer");
  }
  return number;
}

double LibraryConfig::Double(absl::string_view name, double otherwise) {
  const std::string* value = Find(name);
  double number = otherwise;
  if (value != nullptr && !absl::SimpleAtod(*value, &number)) {
    Wrong(name, *value, "a number");
  }
  return number;
}

bool LibraryConfig::Bool(absl::string_view name, bool otherwise) {
  const std::string* value = Find(name);
  bool result = otherwise;
  if (value != nullptr && !absl::SimpleAtob(*value, &result)) {
    Wrong(name, *value, "true or false");
  }
  return result;
}

std::string LibraryConfig::String(absl::string_view name,
                                  absl::string_view otherwise) {
  const std::string* value = Find(name);
  return value == nullptr ? std::string(otherwise) : *value;
}

std::vector<std::string> LibraryConfig::List(absl::string_view name) {
  const std::string* value = Find(name);
  std::vector<std::string> items;
  if (value == nullptr) return items;
  absl::string_view rest = *value;
  if (rest.size() < 2 || rest.front() != '[' || rest.back() != ']') {
    Wrong(name, *value, "a list");
    return items;
  }
  rest = absl::StripAsciiWhitespace(rest.substr(1, rest.size() - 2));
  while (!rest.empty()) {
    const bool quoted = rest.front() == '"';
    const size_t end = quoted ? rest.find('"', 1) : rest.find(',');
    if (quoted && end == rest.npos) break;
    items.emplace_back(absl::StripAsciiWhitespace(
        quoted ? rest.substr(1, end - 1) : rest.substr(0, end)));
    rest.remove_prefix(std::min(rest.size(), quoted ? end + 1 : end));
    rest = absl::StripLeadingAsciiWhitespace(rest);
    if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
    rest = absl::StripLeadingAsciiWhitespace(rest);
  }
  return items;
}

std::vector<int64_t> LibraryConfig::Ints(absl::string_view name) {
  std::vector<int64_t> numbers;
  for (const std::string& item : List(name)) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(item, &number)) Wrong(name, item, "integers");
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> LibraryConfig::Doubles(absl::string_view name) {
  std::vector<double> numbers;
  for (const std::string& item : List(name)) {
    double number = 0;
    if (!absl::SimpleAtod(item, &number)) Wrong(name, item, "numbers");
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::string> LibraryConfig::Strings(absl::string_view name) {
  return List(name);
}

int64_t LibraryConfig::Enum(absl::string_view name,
                            absl::Span<const absl::string_view> words) {
  const std::string* value = Find(name);
  if (value == nullptr) return 0;
  const int64_t count = words.size();
  for (int64_t i = 0; i < count; ++i) {
    if (*value == words[i]) return i;
  }
  int64_t number = 0;
  if (absl::SimpleAtoi(*value, &number) && number >= 0 && number < count) {
    return number;
  }
  std::string list;
  for (absl::string_view word : words) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", word);
  }
  Wrong(name, *value, absl::StrCat("one of ", list));
  return 0;
}

void LibraryConfig::Ignore(absl::string_view name) {
  const std::string full = absl::StrCat(prefix_, name);
  known_[full] = true;
  const std::string inside = full + ".";
  for (auto it = values_.lower_bound(inside);
       it != values_.end() && absl::StartsWith(it->first, inside); ++it) {
    known_[it->first] = true;
  }
}

absl::Status LibraryConfig::CheckAllKnown() const {
  for (auto it = values_.lower_bound(prefix_);
       it != values_.end() && absl::StartsWith(it->first, prefix_); ++it) {
    const std::string& value = it->second;
    double number = 1;
    const bool is_default =
        value.empty() || value == "false" || value == "[]" || value == "null" ||
        (absl::SimpleAtod(value, &number) && number == 0);
    if (is_default || known_.contains(it->first)) continue;
    return Unimplemented(
        "hlokit does not know the field '%s' (value %s) of the backend_config",
        it->first, value);
  }
  return absl::OkStatus();
}

}  // namespace hlokit
