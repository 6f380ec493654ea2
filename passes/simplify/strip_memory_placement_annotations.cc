#include "passes/simplify/strip_memory_placement_annotations.h"

#include "passes/builders.h"

namespace hlokit {

absl::StatusOr<bool> StripMemoryPlacementAnnotations::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() != Opcode::kCustomCall || i->operand_count() != 1 ||
          i->custom_call_target() != "annotate_device_placement" ||
          !ShapesCompatible(i->shape(), i->operand(0)->shape())) {
        continue;
      }
      ReplaceInstruction(i, i->operand(0));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
