#include "passes/control/inline.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/builders.h"

namespace hlokit {

Instruction* CloneBody(Computation* target, const Computation& source,
                       absl::Span<Instruction* const> arguments) {
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  std::vector<Instruction*> operands;
  const std::vector<Instruction*> order = source.PostOrder();
  for (const Instruction* i : order) {
    if (i->opcode() == Opcode::kParameter) {
      copies[i] = arguments[i->parameter_number()];
      continue;
    }
    operands.clear();
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies.at(operand));
    }
    Instruction* copy = target->AddClone(*i, i->shape(), operands);
    for (const Instruction* p : i->control_predecessors()) {
      if (copies.at(p) != copy) copy->AddControlPredecessor(copies.at(p));
    }
    copies[i] = copy;
  }
  return copies.at(source.root());
}

Instruction* InlineCall(Instruction* call) {
  Computation* target = call->parent();
  const int64_t first_new = target->id_limit();
  Instruction* root = CloneBody(target, *call->to_apply(), call->operands());
  // Everything of the body waits for what the call waited for.
  if (!call->control_predecessors().empty()) {
    for (int64_t id = first_new; id < target->id_limit(); ++id) {
      for (Instruction* p : call->control_predecessors()) {
        target->InstructionById(id)->AddControlPredecessor(p);
      }
    }
  }
  const std::vector<Instruction*> successors(
      call->control_successors().begin(), call->control_successors().end());
  for (Instruction* s : successors) {
    for (int64_t id = first_new; id < target->id_limit(); ++id) {
      s->AddControlPredecessor(target->InstructionById(id));
    }
  }
  call->DropControlDependencies();
  call->ReplaceAllUsesWith(root);
  target->Remove(call);
  return root;
}

}  // namespace hlokit
