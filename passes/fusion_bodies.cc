#include "passes/fusion_bodies.h"

#include <vector>

namespace hlokit {

void SeparateFusionBodies(Module* module) {
  std::vector<Computation*> shared;
  for (const auto& computation : module->computations()) {
    if (computation->call_site_count() > 1) shared.push_back(computation.get());
  }
  for (Computation* body : shared) {
    const std::vector<Instruction*> callers(body->callers().begin(),
                                            body->callers().end());
    bool is_owned = false;
    for (Instruction* caller : callers) {
      if (caller->opcode() != Opcode::kFusion) continue;
      if (is_owned) {
        caller->set_called_computations(
            {module->CloneComputation(*body, body->name())});
      }
      is_owned = true;
    }
  }
}

}  // namespace hlokit
