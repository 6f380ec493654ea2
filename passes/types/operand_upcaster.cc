#include "passes/types/operand_upcaster.h"

#include <vector>

#include "passes/builders.h"
#include "passes/value_range.h"

namespace hlokit {
namespace {

bool NeedsWiderOperands(const Instruction& i) {
  if ((i.opcode() != Opcode::kDot && i.opcode() != Opcode::kConvolution) ||
      i.operand_count() != 2 || i.attrs().GetInt(AttrId::kDotAlgorithm) != 0) {
    return false;
  }
  const PrimitiveType result = i.shape().element_type();
  bool narrower = false;
  for (const Instruction* operand : i.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    if (type == result) continue;
    // Integers become integers, floats floats, and nothing is lost.
    if (IsFloatType(type) != IsFloatType(result) ||
        IsComplexType(type) != IsComplexType(result) ||
        !HoldsAllValuesOf(result, type)) {
      return false;
    }
    narrower = true;
  }
  return narrower;
}

}  // namespace

absl::StatusOr<bool> OperandUpcaster::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!NeedsWiderOperands(*i)) continue;
      Builder b(i);
      for (int64_t k = 0; k < 2; ++k) {
        i->ReplaceOperand(
            k, b.Convert(i->operand(k), i->shape().element_type()));
      }
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
