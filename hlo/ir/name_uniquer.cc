#include "hlo/ir/name_uniquer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit {
namespace {

bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '-';
}

bool IsReservedTypeName(absl::string_view name) {
  return name != "tuple" && name != "buffer" &&
         PrimitiveTypeByName(name).has_value();
}

// The number behind the last '.', when there is one.
bool SplitSuffix(absl::string_view name, absl::string_view* stem,
                 int64_t* number) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || dot + 1 == name.size()) {
    return false;
  }
  const absl::string_view digits = name.substr(dot + 1);
  for (char c : digits) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  if (!absl::SimpleAtoi(digits, number)) return false;
  *stem = name.substr(0, dot);
  return true;
}

}  // namespace

std::string NameUniquer::Unique(absl::string_view request, bool* unchanged) {
  absl::string_view stem = request;
  int64_t number = 0;
  const bool has_suffix = SplitSuffix(request, &stem, &number);
  auto it = stems_.find(stem);
  if (it == stems_.end()) it = stems_.emplace(std::string(stem), Stem()).first;
  Stem& entry = it->second;
  if (!entry.used.insert(number).second) {
    while (!entry.used.insert(entry.next).second) ++entry.next;
    number = entry.next;
  }
  std::string result = number == 0 && !has_suffix ? std::string(stem)
                                                  : absl::StrCat(stem, ".", number);
  if (unchanged != nullptr) *unchanged = result == request;
  return result;
}

std::string SanitizeName(absl::string_view name) {
  std::string result(name);
  if (result.empty()) return result;
  for (char& c : result) {
    if (!IsNameByte(c)) c = '_';
  }
  if (!absl::ascii_isalpha(static_cast<unsigned char>(result[0]))) {
    result[0] = '_';
  }
  if (IsReservedTypeName(result)) result += '_';
  if (absl::StartsWith(result, "__") && !absl::StartsWith(result, "__xla_")) {
    result[0] = 'a';
  }
  return result;
}

bool IsSanitizedName(absl::string_view name) {
  if (name.empty()) return true;
  for (char c : name) {
    if (!IsNameByte(c)) return false;
  }
  if (!absl::ascii_isalpha(static_cast<unsigned char>(name[0])) &&
      name[0] != '_') {
    return false;
  }
  if (IsReservedTypeName(name)) return false;
  return !absl::StartsWith(name, "__") || absl::StartsWith(name, "__xla_");
}

}  // namespace hlokit
