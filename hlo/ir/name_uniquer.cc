#include "hlo/ir/name_uniquer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
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

// The number behind the last '.', when there is one. It may be negative: XLA
// takes "x.-1" for number -1 of "x".
bool SplitSuffix(absl::string_view name, absl::string_view* stem,
                 int64_t* number) {
  size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (first == name.size() || first < 2) return false;
  if (name[first - 1] == '-') --first;
  if (first < 2 || name[first - 1] != '.') return false;
  const absl::string_view digits = name.substr(first);
  constexpr size_t kAlwaysFit = 18;
  if (digits[0] != '-' && digits.size() <= kAlwaysFit) {
    *number = 0;
    for (char c : digits) *number = *number * 10 + (c - '0');
  } else if (!absl::SimpleAtoi(digits, number)) {
    *number = 0;  // it has changed nonetheless
    return false;
  }
  *stem = name.substr(0, first - 1);
  return true;
}

}  // namespace

bool NameUniquer::Numbers::Insert(int64_t number) {
  // As bits while these take no more room than a few words a number.
  const uint64_t word = static_cast<uint64_t>(number) / 64;
  if (word >= bits_.size() && word <= 2 * count_ + 16) {
    bits_.resize(std::max<size_t>(word + 1, 2 * bits_.size()));
  }
  if (word < bits_.size()) {
    const uint64_t bit = uint64_t{1} << (number % 64);
    if ((bits_[word] & bit) != 0 ||
        (!large_.empty() && large_.contains(number))) {
      return false;
    }
    bits_[word] |= bit;
  } else if (!large_.insert(number).second) {
    return false;
  }
  ++count_;
  return true;
}

NameUniquer::Stem& NameUniquer::StemOf(absl::string_view stem) {
  auto it = stems_.find(stem);
  if (it == stems_.end()) it = stems_.emplace(std::string(stem), Stem()).first;
  return it->second;
}

bool NameUniquer::Take(absl::string_view request) {
  absl::string_view stem = request;
  int64_t number = 0;
  if (SplitSuffix(request, &stem, &number)) {
    // Results have no zeros in front.
    absl::string_view digits = request.substr(stem.size() + 1);
    const bool negative = absl::ConsumePrefix(&digits, "-");
    if (digits[0] == '0' && (negative || digits.size() > 1)) return false;
  }
  return StemOf(stem).used.Insert(number);
}

std::string NameUniquer::Unique(absl::string_view request) {
  absl::string_view stem = request;
  int64_t number = 0;
  const bool has_suffix = SplitSuffix(request, &stem, &number);
  Stem& entry = StemOf(stem);
  if (!entry.used.Insert(number)) {
    while (!entry.used.Insert(entry.next)) ++entry.next;
    number = entry.next;
  }
  if (number == 0 && !has_suffix) return std::string(stem);
  return absl::StrCat(stem, ".", number);
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
