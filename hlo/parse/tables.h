// The tables of attributes.def and opcodes.def in the form that the parser asks
// for: name to id, and which attributes an opcode takes.
#ifndef HLOKIT_HLO_PARSE_TABLES_H_
#define HLOKIT_HLO_PARSE_TABLES_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/primitive_type.h"
#include "hlo/parse/word_table.h"

namespace hlokit::parse {

using AttrMask = std::bitset<kAttributeCount>;

class Tables {
 public:
  static const Tables& Get();

  std::optional<Opcode> FindOpcode(absl::string_view name) const {
    const int i = opcodes_.Find(name);
    if (i < 0) return std::nullopt;
    return static_cast<Opcode>(i);
  }
  // Types that text may name with brackets: all but tuple and buffer.
  PrimitiveType FindType(absl::string_view name) const {
    const int i = types_.Find(name);
    return i < 0 ? kInvalid : type_numbers_[i];
  }
  // The attribute that `name` means on `opcode`, its own or a common one.
  std::optional<AttrId> FindAttribute(Opcode opcode,
                                      absl::string_view name) const {
    const int i = attributes_.Find(name);
    if (i < 0) return std::nullopt;
    const uint8_t id = by_opcode_[static_cast<int>(opcode)][i];
    if (id == kNone) return std::nullopt;
    return static_cast<AttrId>(id);
  }
  // The attributes whose exclamation mark in opcodes.def demands them.
  const AttrMask& Required(Opcode opcode) const {
    return required_[static_cast<int>(opcode)];
  }
  // Whether bare names must not be this word ("true", "ROOT", ...).
  bool IsKeyword(absl::string_view name) const {
    return keywords_.Find(name) >= 0;
  }

  // For suggestions.
  const std::vector<absl::string_view>& opcode_names() const {
    return opcodes_.words();
  }
  const std::vector<absl::string_view>& type_names() const {
    return types_.words();
  }
  std::vector<absl::string_view> AttributeNames(Opcode opcode) const;

 private:
  static constexpr uint8_t kNone = 0xff;
  Tables();

  WordTable opcodes_;
  WordTable types_;
  WordTable attributes_;  // distinct names
  WordTable keywords_;
  std::vector<PrimitiveType> type_numbers_;
  // By opcode and position of the name in `attributes_`.
  std::vector<std::vector<uint8_t>> by_opcode_;
  std::array<AttrMask, kOpcodeCount> required_;
};

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_TABLES_H_
