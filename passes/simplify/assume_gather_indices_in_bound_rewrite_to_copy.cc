#include "passes/simplify/assume_gather_indices_in_bound_rewrite_to_copy.h"

#include "passes/builders.h"

namespace hlokit {

absl::StatusOr<bool> AssumeGatherIndicesInBoundRewriteToCopy::Run(
    Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() != Opcode::kCustomCall || i->operand_count() != 1 ||
          i->custom_call_target() != "AssumeGatherIndicesInBound" ||
          !ShapesCompatible(i->shape(), i->operand(0)->shape()) ||
          (i->users().empty() && !i->IsRoot())) {
        continue;
      }
      Builder b(i);
      ReplaceInstruction(
          i, b.OpOfShape(Opcode::kCopy, i->shape(), {i->operand(0)}));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
