#include "hlo/ir/attribute.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/match.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/sharding.h"

namespace hlokit {
namespace {

constexpr AttributeInfo kAttributes[] = {
#define HLO_ATTRIBUTE(id, text, kind) {AttrId::k##id, text, AttrKind::k##kind},
#include "hlo/ir/attributes.def"
};

struct EnumRow {
  AttrId set;
  int64_t number;
  absl::string_view word;
};

constexpr EnumRow kEnumRows[] = {
#define HLO_ENUM_WORD(set, number, word) {AttrId::k##set, number, word},
#include "hlo/ir/enums.def"
};

// From the first row of a set to its last.
absl::Span<const EnumRow> RowsOf(AttrId id) {
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  static const auto* const ranges = [] {
    auto* table = new std::array<Range, kAttributeCount>();
    for (size_t i = 0; i < std::size(kEnumRows); ++i) {
      Range& range = (*table)[static_cast<int>(kEnumRows[i].set)];
      if (range.end == 0) range.begin = i;
      range.end = i + 1;
    }
    return table;
  }();
  const Range& range = (*ranges)[static_cast<int>(id)];
  return absl::MakeConstSpan(kEnumRows + range.begin, kEnumRows + range.end);
}

// Equality of values that are direct members of the variant.
template <typename T>
bool ValueEquals(const T& a, const T& b) {
  return a == b;
}
template <typename T>
bool ValueEquals(const Shared<T>& a, const Shared<T>& b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && *a == *b;
}

}  // namespace

const AttributeInfo& InfoOf(AttrId id) {
  return kAttributes[static_cast<int>(id)];
}

absl::Span<const AttributeInfo> AllAttributes() { return kAttributes; }

absl::string_view EnumWord(AttrId id, int64_t number) {
  for (const EnumRow& row : RowsOf(id)) {
    if (row.set == id && row.number == number) return row.word;
  }
  return {};
}

bool EnumIgnoresCase(AttrId id) {
  switch (id) {
    case AttrId::kDistribution:
    case AttrId::kRngAlgorithm:
    case AttrId::kDotAlgorithm:
    case AttrId::kOperandPrecision:
    case AttrId::kCustomCallSchedule:
    case AttrId::kCustomCallApiVersion:
    case AttrId::kResultAccuracy:
      return true;
    default:
      return false;
  }
}

std::optional<int64_t> EnumByWord(AttrId id, absl::string_view word) {
  const bool ignore_case = EnumIgnoresCase(id);
  for (const EnumRow& row : RowsOf(id)) {
    if (row.set != id) continue;
    if (ignore_case ? absl::EqualsIgnoreCase(row.word, word)
                    : row.word == word) {
      return row.number;
    }
  }
  return std::nullopt;
}

std::vector<absl::string_view> EnumWords(AttrId id) {
  std::vector<absl::string_view> words;
  for (const EnumRow& row : kEnumRows) {
    if (row.set == id) words.push_back(row.word);
  }
  return words;
}

void AttributeSet::Set(AttrId id, AttrValue value) {
  if (AttrValue* old = Find(id)) {
    *old = std::move(value);
  } else {
    entries_.push_back({id, std::move(value)});
  }
}

void AttributeSet::Erase(AttrId id) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [id](const Entry& e) { return e.id == id; }),
                 entries_.end());
}

bool AttributeSet::operator==(const AttributeSet& other) const {
  if (entries_.size() != other.entries_.size()) return false;
  for (const Entry& entry : entries_) {
    const AttrValue* value = other.Find(entry.id);
    if (value == nullptr || !AttrValuesEqual(entry.value, *value)) return false;
  }
  return true;
}

bool AttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        return ValueEquals(value, std::get<T>(b));
      },
      a);
}

bool DomainShardings::operator==(const DomainShardings& other) const {
  return ValueEquals(entry, other.entry) && ValueEquals(exit, other.exit);
}

}  // namespace hlokit
