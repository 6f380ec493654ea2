#include "passes/types/all_reduce_promotion.h"

#include "passes/types/type_change.h"

namespace hlokit {

absl::StatusOr<bool> AllReducePromotion::Run(Module* module) {
  bool changed = false;
  ComputationTypes computations(kBF16, kF32);
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      const bool applies = (i->opcode() == Opcode::kAllReduce ||
                            i->opcode() == Opcode::kReduceScatter) &&
                           UsesType(*i, kBF16) && i->shape().is_static();
      if (applies) changed |= ComputeInType(i, kBF16, kF32, &computations);
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
