#include "passes/backend/reduce_decomposer.h"

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

// The operand's layout without the reduced dimensions.
Shape Natural(const Instruction& reduce) {
  Layout layout;
  for (int64_t d : reduce.operand(0)->shape().layout().minor_to_major) {
    if (absl::c_linear_search(reduce.dimensions(), d)) continue;
    layout.minor_to_major.push_back(
        d - absl::c_count_if(reduce.dimensions(),
                             [&](int64_t gone) { return gone < d; }));
  }
  Shape shape = reduce.shape();
  shape.set_layout(std::move(layout));
  return shape;
}

bool Decompose(Instruction* reduce) {
  if (reduce->opcode() != Opcode::kReduce || !reduce->shape().IsArray() ||
      !reduce->shape().has_layout() || !reduce->shape().layout().IsPlain() ||
      !reduce->operand(0)->shape().has_layout() ||
      !reduce->operand(0)->shape().layout().IsPlain()) {
    return false;
  }
  const Shape natural = Natural(*reduce);
  if (natural == reduce->shape()) return false;
  Builder b(reduce);
  Instruction* in_order =
      b.CloneOfShape(*reduce, natural, reduce->operands());
  ReplaceInstruction(
      reduce, b.OpOfShape(Opcode::kCopy, reduce->shape(), {in_order}));
  return true;
}

}  // namespace

absl::StatusOr<bool> ReduceDecomposer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!i->users().empty() || i->IsRoot()) changed |= Decompose(i);
    }
  }
  return changed;
}

}  // namespace hlokit
