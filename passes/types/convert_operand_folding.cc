#include "passes/types/convert_operand_folding.h"

#include "passes/builders.h"
#include "passes/value_range.h"

namespace hlokit {
namespace {

bool IsFoldable(const Instruction* x, PrimitiveType result) {
  if (x->opcode() != Opcode::kConvert) return false;
  const PrimitiveType wide = x->shape().element_type();
  const PrimitiveType narrow = x->operand(0)->shape().element_type();
  return IsIntegerType(wide) && IsIntegerType(narrow) && wide == result &&
         BitWidth(narrow) >= 8 && HoldsAllValuesOf(wide, narrow);
}

}  // namespace

absl::StatusOr<bool> ConvertOperandFolding::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if ((i->opcode() != Opcode::kDot &&
           i->opcode() != Opcode::kConvolution) ||
          i->operand_count() != 2) {
        continue;
      }
      for (int64_t k = 0; k < 2; ++k) {
        Instruction* convert = i->operand(k);
        if (!IsFoldable(convert, i->shape().element_type())) continue;
        i->ReplaceOperand(k, convert->operand(0));
        if (convert->users().empty() && !convert->IsRoot()) {
          convert->DropControlDependencies();
          computation->Remove(convert);
        }
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hlokit
