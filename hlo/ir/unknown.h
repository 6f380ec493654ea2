// What a newer XLA writes and this version does not know: kept as it is.
//
// Unknown attributes, opcodes and proto fields live in frontend attributes whose
// names begin with "hlokit.". Every copy of an instruction keeps them, and so
// does every proto; the text printer writes what they mean in its place instead.
//   hlokit.opcode          the name of an unknown opcode; the instruction is a
//                          custom-call with side effects, which no pass removes,
//                          moves or merges and which no backend runs
//   hlokit.unknown_text    attributes that text gives, see UnknownItem
//   hlokit.unknown_fields  proto fields: an HloInstructionProto that holds
//                          nothing but them, in base64
// Computations have no frontend attributes, so theirs are the module's, with the
// computation's name behind the key: "hlokit.unknown_text.main".
#ifndef HLOKIT_HLO_IR_UNKNOWN_H_
#define HLOKIT_HLO_IR_UNKNOWN_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "hlo/ir/instruction.h"

namespace hlokit {

inline constexpr absl::string_view kUnknownOpcodeKey = "hlokit.opcode";
inline constexpr absl::string_view kUnknownTextKey = "hlokit.unknown_text";
inline constexpr absl::string_view kUnknownMetadata = "metadata{";
inline constexpr absl::string_view kUnknownFieldsKey = "hlokit.unknown_fields";

// A piece of text that is kept.
struct UnknownItem {
  // What stands before it: "" for the operands, the name of an attribute, or
  //   "("          the operands themselves: `text` is printed instead of them
  //   "metadata{"  items of metadata, in protos only: elsewhere the metadata
  //                itself has them
  //   "}"          behind the closing brace of a computation
  std::string after;
  // "name=value". "%<2>" means the name of the third called computation; in the
  // text of "(" it means the name of the third operand.
  std::string text;
  bool operator==(const UnknownItem&) const = default;
};

// The key for what a computation has.
std::string UnknownKeyOf(absl::string_view key, absl::string_view computation);

// The value of kUnknownTextKey, and back. What is not such a value gives no
// items.
std::string UnknownItemsToString(const std::vector<UnknownItem>& items);
std::vector<UnknownItem> UnknownItemsFromString(absl::string_view text);

// The value of `key`; empty when there is none.
absl::string_view UnknownPart(const FrontendAttributes* attributes,
                              absl::string_view key);
absl::string_view UnknownPart(const Instruction& instruction,
                              absl::string_view key);
void SetUnknownPart(Instruction* instruction, absl::string_view key,
                    std::string value);
// Makes a custom-call an operation of this opcode.
void MakeUnknownOperation(Instruction* call, absl::string_view opcode);
// Of an unknown operation; empty for all others.
absl::string_view UnknownOpcode(const Instruction& instruction);
// The opcode's name, also of unknown ones.
absl::string_view ShownOpcode(const Instruction& instruction);
// Whether a frontend attribute of this name is one of those above.
bool IsUnknownKey(absl::string_view key);

// Element types of unknown names. They are numbers above all others, dealt by
// the process, at most a hundred; nullopt when these are used up.
std::optional<PrimitiveType> UnknownTypeNamed(absl::string_view name);
inline bool IsUnknownType(PrimitiveType type) {
  return type >= kPrimitiveTypeLimit;
}
// A type that a proto knows by number is called "type_NUMBER".
std::string UnknownTypeName(int proto_number);
// The number in such a name; 0 for other names.
int UnknownTypeNumber(absl::string_view name);

// Says what of this instruction nobody can execute: an unknown opcode, element
// type or value of an attribute. Empty when all of it is known; unknown
// attributes alone do not count.
std::string UnknownMeaning(const Instruction& instruction);
// The same for the first such instruction, with its name.
std::string UnknownMeaning(const Module& module);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_UNKNOWN_H_
