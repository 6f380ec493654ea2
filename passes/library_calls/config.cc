#include "passes/library_calls/config.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace hlokit {

absl::StatusOr<LibraryConfig> LibraryConfig::Parse(absl::string_view text) {
  LibraryConfig config;
  HLOKIT_ASSIGN_OR_RETURN(config.values_, ParseConfigText(text));
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
