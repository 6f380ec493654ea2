#include "passes/backend/root_instruction_sinker.h"

#include <vector>

#include "absl/algorithm/container.h"

namespace hlokit {

absl::StatusOr<bool> RootInstructionSinker::Run(Module* module) {
  if (!module->is_scheduled()) return false;
  bool changed = false;
  for (auto& [computation, sequence] : *module->schedule) {
    if (!RunsOn(*computation)) continue;
    Instruction* root = computation->root();
    if (sequence.empty() || sequence.back() == root) continue;
    const bool used = !root->users().empty() ||
                      !root->control_successors().empty();
    if (!used) {
      sequence.erase(absl::c_find(sequence, root));
      sequence.push_back(root);
      changed = true;
    } else if (root->opcode() == Opcode::kTuple) {
      Computation* owner = root->parent();
      Instruction* copy =
          owner->AddClone(*root, root->shape(), root->operands());
      owner->set_root(copy);
      sequence.push_back(copy);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
