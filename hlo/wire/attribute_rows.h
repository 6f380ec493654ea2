// What rows of the table of attribute fields call, where it is more than a line;
// internal to this folder.
#ifndef HLOKIT_HLO_WIRE_ATTRIBUTE_ROWS_H_
#define HLOKIT_HLO_WIRE_ATTRIBUTE_ROWS_H_

#include "hlo/wire/attribute_fields.h"

namespace hlokit::wire {

// Precisions that are written: one for each operand that has one.
inline int64_t PrecisionCount(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall ? i.operand_count() : 2;
}

// attribute_structures.cc
#define HLOKIT_ROW(Name) \
  absl::Status Read##Name(const AttributeSource& source, Instruction* i);
HLOKIT_ROW(WindowField)
HLOKIT_ROW(DimLabels)
HLOKIT_ROW(Sparsity)
HLOKIT_ROW(Slice)
HLOKIT_ROW(Padding)
// common_fields.cc: what every opcode may have.
HLOKIT_ROW(Common)
#undef HLOKIT_ROW

}  // namespace hlokit::wire

#endif  // HLOKIT_HLO_WIRE_ATTRIBUTE_ROWS_H_
