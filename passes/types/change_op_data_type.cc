#include "passes/types/change_op_data_type.h"

#include "passes/types/type_change.h"

namespace hlokit {
namespace {

bool IsAllOf(const Instruction& i, PrimitiveType type) {
  if (i.shape().element_type() != type) return false;
  for (const Instruction* operand : i.operands()) {
    if (operand->shape().element_type() != type) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> ChangeOpDataType::Run(Module* module) {
  bool changed = false;
  ComputationTypes computations(from_, to_);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      const bool applies = (i->opcode() == Opcode::kDot ||
                            i->opcode() == Opcode::kConvolution) &&
                           IsAllOf(*i, from_) &&
                           (!i->users().empty() || i->IsRoot());
      if (applies) changed |= ComputeInType(i, from_, to_, &computations);
    }
  }
  return changed;
}

}  // namespace hlokit
