#include "passes/simplify/tuple_simplifier.h"

#include "passes/patterns.h"

namespace hlokit {
namespace {

// The tuple that `tuple` only puts together again, or null.
Instruction* Original(const Instruction& tuple) {
  Instruction* original = nullptr;
  for (int64_t i = 0; i < tuple.operand_count(); ++i) {
    const Instruction* element = tuple.operand(i);
    if (element->opcode() != Opcode::kGetTupleElement ||
        element->tuple_index() != i) {
      return nullptr;
    }
    if (original == nullptr) original = element->operand(0);
    if (element->operand(0) != original) return nullptr;
  }
  if (original == nullptr || original->shape() != tuple.shape()) return nullptr;
  return original;
}

// What may stand for `i`, or null.
Instruction* Simpler(const Instruction& i) {
  if (i.opcode() == Opcode::kTuple) return Original(i);
  if (i.opcode() != Opcode::kGetTupleElement) return nullptr;
  const Instruction* tuple = i.operand(0);
  if (tuple->opcode() != Opcode::kTuple) return nullptr;
  Instruction* element = tuple->operand(i.tuple_index());
  return element->shape() == i.shape() ? element : nullptr;
}

}  // namespace

absl::StatusOr<bool> TupleSimplifier::Run(Module* module) {
  bool changed = false;
  for (const auto& computation : module->computations()) {
    if (!RunsOn(*computation)) continue;
    for (Instruction* i : computation->PostOrder()) {
      if (HasControlDependencies(*i)) continue;
      Instruction* simpler = Simpler(*i);
      if (simpler == nullptr) continue;
      // A sharding that says something else must not be lost.
      if (i->IsRoot() && i->sharding() != nullptr &&
          simpler->sharding() == nullptr) {
        continue;
      }
      if (i->users().empty() && !i->IsRoot()) continue;
      i->ReplaceAllUsesWith(simpler);
      changed = true;
      if (i->users().empty() && !i->IsRoot()) {
        computation->RemoveWithUnusedOperands(i);
      }
    }
  }
  return changed;
}

}  // namespace hlokit
