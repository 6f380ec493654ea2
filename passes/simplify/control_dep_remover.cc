#include "passes/simplify/control_dep_remover.h"

namespace hlokit {

absl::StatusOr<bool> ControlDepRemover::Run(Module* module) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    if (!RunsOn(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (i->control_predecessors().empty()) continue;
      i->DropControlDependencies();
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
