#include "passes/control/while_loop_constant_sinking.h"

#include <vector>

#include "passes/analysis/loop_trip_count.h"
#include "passes/builders.h"
#include "passes/control/while_util.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

bool IsConstantLike(const Instruction* x) {
  return x->opcode() == Opcode::kConstant ||
         (x->opcode() == Opcode::kBroadcast && IsConstantScalar(x->operand(0)));
}

Instruction* CopyConstant(Builder& b, const Instruction& x) {
  if (x.opcode() == Opcode::kConstant) {
    return b.CloneOfShape(x, x.shape(), {});
  }
  return b.CloneOfShape(
      x, x.shape(), {b.CloneOfShape(*x.operand(0), x.operand(0)->shape(), {})});
}

// Replaces the element's uses but the one that hands it on in the root.
bool SinkInto(Computation* computation, int64_t index, const Instruction& value,
              const Instruction* keeper) {
  bool changed = false;
  const std::vector<Instruction*> users(
      computation->parameter(0)->users().begin(),
      computation->parameter(0)->users().end());
  for (Instruction* element : users) {
    if (element->opcode() != Opcode::kGetTupleElement ||
        element->tuple_index() != index) {
      continue;
    }
    const std::vector<Instruction*> uses(element->users().begin(),
                                         element->users().end());
    Instruction* constant = nullptr;
    for (Instruction* use : uses) {
      for (int64_t k = 0; k < use->operand_count(); ++k) {
        if (use->operand(k) != element) continue;
        if (use == keeper && k == index) continue;
        if (constant == nullptr) {
          Builder b(element);
          constant = CopyConstant(b, value);
        }
        use->ReplaceOperand(k, constant);
        changed = true;
      }
    }
    if (element->IsRoot()) {
      Builder b(element);
      computation->set_root(CopyConstant(b, value));
      changed = true;
    }
  }
  return changed;
}

bool SinkConstants(Instruction* loop) {
  const Instruction* init = loop->operand(0);
  if (init->opcode() != Opcode::kTuple) return false;
  bool changed = false;
  for (int64_t k = 0; k < init->operand_count(); ++k) {
    const Instruction& value = *init->operand(k);
    if (!IsConstantLike(&value) || !IsInvariantElement(*loop, k)) continue;
    changed |= SinkInto(loop->while_body(), k, value,
                        loop->while_body()->root());
    changed |= SinkInto(loop->while_condition(), k, value, nullptr);
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> WhileLoopConstantSinking::Run(Module* module) {
  bool changed = false;
  // Outer loops first: what is sunk into one may go on into an inner one.
  std::vector<Computation*> computations = Computations(module);
  for (size_t at = computations.size(); at-- > 0;) {
    for (Instruction* loop : LoopsOf(*computations[at])) {
      if (OwnsItsState(*loop)) changed |= SinkConstants(loop);
    }
  }
  return changed;
}

}  // namespace hlokit
