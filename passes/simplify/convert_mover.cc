#include "passes/simplify/convert_mover.h"

#include <vector>

#include "passes/builders.h"
#include "passes/patterns.h"
#include "passes/value_range.h"

namespace hlokit {
namespace {

bool IsMove(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
      return i.control_predecessors().empty() &&
             i.control_successors().empty() && i.shape().is_static();
    default:
      return false;
  }
}

PrimitiveType TypeOf(const Instruction* i) { return i->shape().element_type(); }

bool IsWidening(const Instruction* x) {
  return x->opcode() == Opcode::kConvert && x->shape().IsArray() &&
         BitWidth(TypeOf(x)) > BitWidth(TypeOf(x->operand(0))) &&
         HoldsAllValuesOf(TypeOf(x), TypeOf(x->operand(0)));
}

bool IsNarrowing(const Instruction* x) {
  return x->opcode() == Opcode::kConvert &&
         BitWidth(TypeOf(x)) < BitWidth(TypeOf(x->operand(0)));
}

Shape Typed(const Shape& shape, PrimitiveType type) {
  Shape typed = shape;
  typed.set_element_type(type);
  return typed;
}

// move(widen(x), widen(y)) -> widen(move(x, y)).
bool MoveDown(Instruction* move) {
  const PrimitiveType narrow = IsWidening(move->operand(0))
                                   ? TypeOf(move->operand(0)->operand(0))
                                   : kInvalid;
  if (narrow == kInvalid || narrow == kPred) return false;
  std::vector<Instruction*> operands;
  for (Instruction* x : move->operands()) {
    if (!IsWidening(x) || TypeOf(x->operand(0)) != narrow || !HasOneUser(x)) {
      return false;
    }
    operands.push_back(x->operand(0));
  }
  Builder b(move);
  Instruction* small =
      b.CloneOfShape(*move, Typed(move->shape(), narrow), operands);
  ReplaceInstruction(move, b.Convert(small, TypeOf(move)));
  return true;
}

// narrow(move(x, y)) -> move(narrow(x), narrow(y)). Appends the conversions that
// take its place to `moved`, by id.
bool MoveUp(Instruction* convert, std::vector<int64_t>* moved) {
  Instruction* move = convert->operand(0);
  if (!IsMove(*move) || !HasOneUser(move) ||
      // Broadcasts are made once more rather than converted.
      move->opcode() == Opcode::kBroadcast) {
    return false;
  }
  Builder b(convert);
  std::vector<Instruction*> operands;
  for (Instruction* x : move->operands()) {
    operands.push_back(b.Convert(x, TypeOf(convert)));
    if (operands.back() != x) moved->push_back(operands.back()->id());
  }
  ReplaceInstruction(convert,
                     b.CloneOfShape(*move, convert->shape(), operands));
  return true;
}

}  // namespace

absl::StatusOr<bool> ConvertMover::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (IsMove(*i) && (!i->users().empty() || i->IsRoot())) {
        changed |= MoveDown(i);
      }
    }
    // A conversion goes up all moves above it at once, one after the other.
    // By id, for moves are removed with their last user.
    std::vector<int64_t> work;
    for (Instruction* i : computation->PostOrder()) {
      if (IsNarrowing(i)) work.push_back(i->id());
    }
    while (!work.empty()) {
      Instruction* i = computation->InstructionById(work.back());
      work.pop_back();
      if (i != nullptr && (!i->users().empty() || i->IsRoot())) {
        changed |= MoveUp(i, &work);
      }
    }
  }
  return changed;
}

}  // namespace hlokit
