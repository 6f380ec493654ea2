#include "passes/simplify/dce.h"

#include <vector>

namespace hlokit {
namespace {

bool IsDead(const Instruction& i) {
  return i.users().empty() && !i.IsRoot() &&
         i.opcode() != Opcode::kParameter &&
         i.control_predecessors().empty() && i.control_successors().empty() &&
         !i.HasSideEffect();
}

bool RemoveDead(Computation* computation) {
  const int64_t before = computation->instruction_count();
  std::vector<Instruction*> dead;
  for (Instruction* i : computation->instructions()) {
    if (IsDead(*i)) dead.push_back(i);
  }
  // None of them uses another, so removing one (and the operands that only it
  // used) never takes away a later one.
  for (Instruction* i : dead) computation->RemoveWithUnusedOperands(i);
  return computation->instruction_count() != before;
}

}  // namespace

absl::StatusOr<bool> DeadCodeElimination::Run(Module* module) {
  bool changed = module->RemoveUnreachableComputations();
  for (const auto& computation : module->computations()) {
    if (RunsOn(*computation)) changed |= RemoveDead(computation.get());
  }
  // Removed calls may have been the only ones.
  changed |= module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
