// Opcodes. The table is opcodes.def; parser, printer, proto conversion,
// inference, verifier and interpreter are all driven by its rows.
#ifndef HLOKIT_HLO_IR_OPCODE_H_
#define HLOKIT_HLO_IR_OPCODE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/attribute.h"

namespace hlokit {

enum class Opcode : uint8_t {
#define HLO_OPCODE(enumerator, text, arity, infer, family, attributes) \
  enumerator,
#include "hlo/ir/opcodes.def"
};

inline constexpr int kOpcodeCount = 0
#define HLO_OPCODE(enumerator, text, arity, infer, family, attributes) +1
#include "hlo/ir/opcodes.def"
    ;

// Groups of opcodes that are implemented, documented and coloured together.
enum class OpFamily : uint8_t {
  kUnary, kBinary, kTernary, kCompare, kConvert, kStructure, kMovement,
  kReduction, kDot, kLinearAlgebra, kRandom, kControlFlow, kCollective, kAsync,
  kTransfer,
};

// One attribute of an opcode's row.
struct OpcodeAttribute {
  AttrId id;
  bool required;
};

struct OpcodeInfo {
  Opcode opcode;
  absl::string_view name;
  int arity;  // -1: varies
  bool infers_shape;  // the text may leave out the result type
  OpFamily family;
  absl::Span<const OpcodeAttribute> attributes;  // own, in print order

  bool Takes(AttrId id) const;
};

const OpcodeInfo& InfoOf(Opcode opcode);
inline absl::string_view OpcodeName(Opcode opcode) {
  return InfoOf(opcode).name;
}
std::optional<Opcode> OpcodeByName(absl::string_view name);
// Comparisons were opcodes of their own once: "less-than" gives "LT". Empty for
// any other name.
absl::string_view OldComparisonDirection(absl::string_view name);
absl::Span<const OpcodeInfo> AllOpcodes();

// Unary, binary and ternary operations (compare, convert, clamp, select, ...)
// that work element by element on operands of equal dimensions.
bool IsElementwise(Opcode opcode);
// Opcodes that may have called computations.
bool MayCallComputations(Opcode opcode);
// all-reduce, all-gather, ... in their synchronous and -start forms: those with
// replica groups or source-target pairs.
bool IsCollective(Opcode opcode);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_OPCODE_H_
