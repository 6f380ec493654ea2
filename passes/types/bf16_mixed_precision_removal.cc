#include "passes/types/bf16_mixed_precision_removal.h"

#include "passes/types/type_change.h"

namespace hlokit {

absl::StatusOr<bool> Bf16MixedPrecisionRemoval::Run(Module* module) {
  bool changed = false;
  ComputationTypes computations(kBF16, kF32);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!ComputesWithElements(i->opcode()) || !UsesType(*i, kBF16) ||
          !UsesType(*i, kF32) || i->shape().is_dynamic() ||
          (i->users().empty() && !i->IsRoot())) {
        continue;
      }
      changed |= ComputeInType(i, kBF16, kF32, &computations);
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
