#include "passes/dots/batch_dot_simplification.h"

#include "absl/algorithm/container.h"
#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

// Numbers of dimensions after `gone` have left.
Int64List Renumbered(const Int64List& dimensions, const Int64List& gone) {
  Int64List renumbered;
  for (int64_t d : dimensions) {
    if (absl::c_linear_search(gone, d)) continue;
    renumbered.push_back(d - absl::c_count_if(gone, [&](int64_t g) {
                           return g < d;
                         }));
  }
  return renumbered;
}

Instruction* Without(Builder& b, Instruction* x, const Int64List& gone) {
  Int64List sizes;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (!absl::c_linear_search(gone, d)) {
      sizes.push_back(x->shape().dimension(d));
    }
  }
  return b.Reshape(x, sizes);
}

bool Simplify(Instruction* dot) {
  const DotDims dims = DotDimsOf(*dot);
  Int64List lhs_gone, rhs_gone;
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) {
    if (dot->operand(0)->shape().dimension(dims.lhs_batch[k]) != 1) continue;
    lhs_gone.push_back(dims.lhs_batch[k]);
    rhs_gone.push_back(dims.rhs_batch[k]);
  }
  if (lhs_gone.empty()) return false;
  DotDims fewer;
  fewer.lhs_batch = Renumbered(dims.lhs_batch, lhs_gone);
  fewer.rhs_batch = Renumbered(dims.rhs_batch, rhs_gone);
  fewer.lhs_contracting = Renumbered(dims.lhs_contracting, lhs_gone);
  fewer.rhs_contracting = Renumbered(dims.rhs_contracting, rhs_gone);
  Builder b(dot);
  Instruction* small = b.Dot(Without(b, dot->operand(0), lhs_gone),
                             Without(b, dot->operand(1), rhs_gone), fewer,
                             dot->shape().element_type(), dot);
  ReplaceInstruction(dot, b.Reshape(small, dot->shape().dimensions()));
  return true;
}

}  // namespace

absl::StatusOr<bool> BatchDotSimplification::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) {
      if (!dot->users().empty() || dot->IsRoot()) changed |= Simplify(dot);
    }
  }
  return changed;
}

}  // namespace hlokit
