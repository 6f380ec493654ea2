#include "passes/backend/defuser.h"

#include <vector>

#include "passes/control/inline.h"

namespace hlokit {

absl::StatusOr<bool> Defuser::Run(Module* module) {
  bool changed = false;
  // Callees first: a fusion may hold another.
  for (Computation* computation : module->TopologicalOrder()) {
    if (!RunsOn(*computation)) continue;
    std::vector<Instruction*> fusions;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kFusion) fusions.push_back(i);
    }
    for (Instruction* fusion : fusions) InlineCall(fusion);
    changed |= !fusions.empty();
  }
  if (changed) {
    module->RemoveUnreachableComputations();
    // The old one does not name what was inside.
    module->schedule.reset();
  }
  return changed;
}

}  // namespace hlokit
