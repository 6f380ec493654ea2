#include "passes/simplify/reshape_mover.h"

#include <vector>

#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

bool IsMove(const Instruction* x) {
  return (x->opcode() == Opcode::kReshape ||
          x->opcode() == Opcode::kTranspose) &&
         x->control_predecessors().empty() && x->control_successors().empty();
}

bool IsSpreadScalar(const Instruction* x) {
  return x->opcode() == Opcode::kBroadcast &&
         x->operand(0)->shape().IsScalar();
}

bool SameMove(const Instruction& a, const Instruction& b) {
  return a.opcode() == b.opcode() &&
         SameDimensions(a.operand(0)->shape(), b.operand(0)->shape()) &&
         a.dimensions() == b.dimensions();
}

// The move that all operands share, null if there is none.
const Instruction* SharedMove(const Instruction& i) {
  const Instruction* move = nullptr;
  bool one_user = false;
  for (const Instruction* operand : i.operands()) {
    if (IsSpreadScalar(operand)) continue;
    // A scalar predicate or bound applies everywhere.
    if (operand->shape().rank() == 0 && i.shape().rank() != 0) continue;
    if (!IsMove(operand)) return nullptr;
    if (move != nullptr && !SameMove(*move, *operand)) return nullptr;
    move = operand;
    one_user |= HasOneUser(operand);
  }
  return one_user ? move : nullptr;
}

bool HasReshapedOperands(const Instruction& i) {
  return IsElementwise(i.opcode()) && i.operand_count() > 0 &&
         i.opcode() != Opcode::kCopy && i.shape().is_static() &&
         i.control_predecessors().empty() && i.control_successors().empty() &&
         (!i.users().empty() || i.IsRoot());
}

void Move(Instruction* i, const Instruction& move) {
  const Shape& before = move.operand(0)->shape();
  Builder b(i);
  std::vector<Instruction*> operands;
  for (Instruction* operand : i->operands()) {
    if (IsSpreadScalar(operand)) {
      operand = b.BroadcastScalar(operand->operand(0), before.dimensions());
    } else if (IsMove(operand)) {
      operand = operand->operand(0);
    }
    operands.push_back(operand);
  }
  Instruction* work = b.CloneOfShape(
      *i,
      Shape::ArrayWithDescendingLayout(i->shape().element_type(),
                                       before.dimensions()),
      operands);
  work->mutable_attrs().Erase(AttrId::kSharding);
  ReplaceInstruction(
      i, move.opcode() == Opcode::kReshape
             ? b.Reshape(work, i->shape().dimensions())
             : b.Transpose(work, move.dimensions()));
}

bool MoveAll(Computation* computation) {
  bool changed = false;
  // In this order a move goes through a whole chain at once.
  for (Instruction* i : computation->PostOrder()) {
    if (!HasReshapedOperands(*i)) continue;
    const Instruction* move = SharedMove(*i);
    if (move == nullptr) continue;
    Move(i, *move);
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> ReshapeMover::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    // A move that lost a user may go where it could not before.
    while (MoveAll(computation)) changed = true;
  }
  return changed;
}

}  // namespace hlokit
