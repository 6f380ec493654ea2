#include "passes/backend/reshape_decomposer.h"

#include "passes/builders.h"

namespace hlokit {
namespace {

bool HasPlainLayout(const Shape& shape) {
  return shape.has_layout() && shape.layout().IsPlain();
}

bool MovesData(const Instruction& i) {
  return i.opcode() == Opcode::kReshape && i.shape().is_static() &&
         HasPlainLayout(i.shape()) && HasPlainLayout(i.operand(0)->shape()) &&
         (!i.users().empty() || i.IsRoot());
}

Shape WithDescendingLayout(Shape shape) {
  shape.SetDescendingLayouts(/*replace=*/true);
  return shape;
}

void DecomposeReshape(Instruction* reshape) {
  Builder b(reshape);
  Instruction* x = reshape->operand(0);
  const Shape before = WithDescendingLayout(x->shape());
  const Shape after = WithDescendingLayout(reshape->shape());
  if (x->shape() != before) x = b.OpOfShape(Opcode::kCopy, before, {x});
  x = b.OpOfShape(Opcode::kBitcast, after, {x});
  if (reshape->shape() != after) {
    x = b.OpOfShape(Opcode::kCopy, reshape->shape(), {x});
  }
  ReplaceInstruction(reshape, x);
}

}  // namespace

absl::StatusOr<bool> ReshapeDecomposer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!MovesData(*i)) continue;
      DecomposeReshape(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
