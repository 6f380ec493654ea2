#include "hlo/parse/tables.h"

#include <algorithm>

namespace hlokit::parse {
namespace {

constexpr AttrId kCommon[] = {
    AttrId::kSharding, AttrId::kFrontendAttributes,
    AttrId::kControlPredecessors, AttrId::kStatistics, AttrId::kOrigin,
    AttrId::kMetadata, AttrId::kBackendConfig,
};

std::vector<absl::string_view> OpcodeNames() {
  std::vector<absl::string_view> names;
  for (const OpcodeInfo& info : AllOpcodes()) names.push_back(info.name);
  return names;
}

bool IsNamedWithBrackets(PrimitiveType type) {
  return type != kTuple && type != kBuffer;
}

std::vector<absl::string_view> TypeNames() {
  std::vector<absl::string_view> names;
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (IsNamedWithBrackets(info.type)) names.push_back(info.name);
  }
  return names;
}

std::vector<absl::string_view> DistinctAttributeNames() {
  std::vector<absl::string_view> names;
  for (const AttributeInfo& info : AllAttributes()) {
    if (std::find(names.begin(), names.end(), info.name) == names.end()) {
      names.push_back(info.name);
    }
  }
  return names;
}

}  // namespace

const Tables& Tables::Get() {
  static const Tables* const tables = new Tables;
  return *tables;
}

Tables::Tables()
    : opcodes_(OpcodeNames()),
      types_(TypeNames()),
      attributes_(DistinctAttributeNames()),
      keywords_({"true", "false", "inf", "nan", "HloModule", "ENTRY", "ROOT",
                 "FileLocations", "FileNames", "FunctionNames", "StackFrames",
                 "maximal", "replicated", "manual", "last_tile_dim_replicate",
                 "shard_as", "shard_like", "unknown", "unreduced"}) {
  for (const PrimitiveTypeInfo& info : AllPrimitiveTypes()) {
    if (IsNamedWithBrackets(info.type)) type_numbers_.push_back(info.type);
  }
  by_opcode_.assign(
      kOpcodeCount,
      std::vector<uint8_t>(attributes_.words().size(), kNone));
  for (const OpcodeInfo& info : AllOpcodes()) {
    const int opcode = static_cast<int>(info.opcode);
    auto add = [&](AttrId id) {
      by_opcode_[opcode][attributes_.Find(AttributeName(id))] =
          static_cast<uint8_t>(id);
    };
    for (AttrId id : kCommon) add(id);
    for (const OpcodeAttribute& attribute : info.attributes) {
      add(attribute.id);
      if (attribute.required) {
        required_[opcode].set(static_cast<int>(attribute.id));
      }
    }
  }
}

std::vector<absl::string_view> Tables::AttributeNames(Opcode opcode) const {
  std::vector<absl::string_view> names;
  for (const OpcodeAttribute& attribute : InfoOf(opcode).attributes) {
    names.push_back(AttributeName(attribute.id));
  }
  for (AttrId id : kCommon) names.push_back(AttributeName(id));
  return names;
}

}  // namespace hlokit::parse
