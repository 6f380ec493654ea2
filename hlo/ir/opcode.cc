#include "hlo/ir/opcode.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace hlokit {
namespace {

constexpr bool yes = true;
constexpr bool no = false;

struct Row {
  Opcode opcode;
  const char* name;
  int arity;
  bool infer;
  OpFamily family;
  const char* attributes;
};

constexpr Row kRows[] = {
#define HLO_OPCODE(enumerator, text, arity, infer, family, attributes) \
  {Opcode::enumerator, text, arity, infer, OpFamily::k##family, attributes},
#include "hlo/ir/opcodes.def"
};

// The enumerator's name without k, for the attribute lists of the rows.
constexpr const char* kAttributeIds[] = {
#define HLO_ATTRIBUTE(id, text, kind) #id,
#include "hlo/ir/attributes.def"
};

struct Table {
  std::vector<std::vector<OpcodeAttribute>> attributes;
  std::vector<OpcodeInfo> infos;
  absl::flat_hash_map<absl::string_view, Opcode> by_name;

  Table() {
    absl::flat_hash_map<absl::string_view, AttrId> ids;
    for (int i = 0; i < kAttributeCount; ++i) {
      ids[kAttributeIds[i]] = static_cast<AttrId>(i);
    }
    attributes.resize(kOpcodeCount);
    infos.reserve(kOpcodeCount);
    for (int i = 0; i < kOpcodeCount; ++i) {
      const Row& row = kRows[i];
      for (absl::string_view word :
           absl::StrSplit(row.attributes, ' ', absl::SkipEmpty())) {
        const bool required = absl::ConsumeSuffix(&word, "!");
        auto it = ids.find(word);
        HLOKIT_CHECK(it != ids.end());
        attributes[i].push_back({it->second, required});
      }
      infos.push_back({row.opcode, row.name, row.arity, row.infer, row.family,
                       attributes[i]});
      by_name[row.name] = row.opcode;
    }
  }
};

const Table& GetTable() {
  static const Table* table = new Table;
  return *table;
}

}  // namespace

bool OpcodeInfo::Takes(AttrId id) const {
  for (const OpcodeAttribute& attribute : attributes) {
    if (attribute.id == id) return true;
  }
  return false;
}

const OpcodeInfo& InfoOf(Opcode opcode) {
  return GetTable().infos[static_cast<int>(opcode)];
}

std::optional<Opcode> OpcodeByName(absl::string_view name) {
  const auto& map = GetTable().by_name;
  auto it = map.find(name);
  if (it == map.end()) return std::nullopt;
  return it->second;
}

absl::string_view OldComparisonDirection(absl::string_view name) {
  static constexpr absl::string_view kOld[][2] = {
      {"equal-to", "EQ"},
      {"not-equal-to", "NE"},
      {"greater-than-or-equal-to", "GE"},
      {"greater-than", "GT"},
      {"less-than-or-equal-to", "LE"},
      {"less-than", "LT"},
  };
  for (const auto& [old, direction] : kOld) {
    if (old == name) return direction;
  }
  return {};
}

absl::Span<const OpcodeInfo> AllOpcodes() { return GetTable().infos; }

bool IsElementwise(Opcode opcode) {
  switch (InfoOf(opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
      return true;
    case OpFamily::kConvert:
      // bitcast-convert may change the rank.
      return opcode != Opcode::kBitcastConvert;
    default:
      return opcode == Opcode::kCopy;
  }
}

bool MayCallComputations(Opcode opcode) {
  for (const OpcodeAttribute& attribute : InfoOf(opcode).attributes) {
    const AttrKind kind = InfoOf(attribute.id).kind;
    if (kind == AttrKind::kComputation || kind == AttrKind::kComputationList) {
      return true;
    }
  }
  return false;
}

bool IsCollective(Opcode opcode) {
  const OpcodeInfo& info = InfoOf(opcode);
  return info.Takes(AttrId::kReplicaGroups) ||
         info.Takes(AttrId::kSourceTargetPairs);
}

}  // namespace hlokit
