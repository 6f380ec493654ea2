#include "passes/types/element_type_converter.h"

#include "passes/types/type_change.h"

namespace hlokit {
namespace {

bool Converts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kSort:
    case Opcode::kScan:
    case Opcode::kSelectAndScatter:
    case Opcode::kScatter:
      return false;
    default:
      break;
  }
  switch (InfoOf(opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
    case OpFamily::kMovement:
    case OpFamily::kReduction:
    case OpFamily::kDot:
    case OpFamily::kLinearAlgebra:
      return true;
    default:
      return opcode == Opcode::kRng;
  }
}

}  // namespace

absl::StatusOr<bool> ElementTypeConverter::Run(Module* module) {
  bool changed = false;
  ComputationTypes computations(from_, to_);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (Converts(i->opcode()) && UsesType(*i, from_) &&
          i->shape().is_static() && (!i->users().empty() || i->IsRoot())) {
        changed |= ComputeInType(i, from_, to_, &computations);
      }
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
