#include "passes/dots/dot_dimension_merger.h"

#include "passes/dots/dot_util.h"
#include "passes/gather_dims.h"

namespace hlokit {
namespace {

bool FollowOneAnother(const Int64List& dimensions) {
  return CountsUpFrom(dimensions, dimensions[0]);
}

// Numbers of dimensions once first, first + 1, ... (`count` of them) are one.
Int64List Renumbered(const Int64List& dimensions, int64_t first,
                     int64_t count) {
  Int64List renumbered;
  for (int64_t d : dimensions) {
    renumbered.push_back(d > first ? d - (count - 1) : d);
  }
  return renumbered;
}

Instruction* Merged(Builder& b, Instruction* x, int64_t first, int64_t count) {
  Int64List sizes;
  int64_t merged = 1;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (d >= first && d < first + count) {
      merged *= x->shape().dimension(d);
      if (d == first + count - 1) sizes.push_back(merged);
    } else {
      sizes.push_back(x->shape().dimension(d));
    }
  }
  return b.Reshape(x, sizes);
}

bool Merge(Instruction* dot) {
  const DotDims dims = DotDimsOf(*dot);
  const int64_t count = dims.lhs_batch.size();
  if (count < 2 || !FollowOneAnother(dims.lhs_batch) ||
      !FollowOneAnother(dims.rhs_batch) ||
      (dot->users().empty() && !dot->IsRoot())) {
    return false;
  }
  const int64_t lhs = dims.lhs_batch[0], rhs = dims.rhs_batch[0];
  DotDims fewer;
  fewer.lhs_batch = {lhs};
  fewer.rhs_batch = {rhs};
  fewer.lhs_contracting = Renumbered(dims.lhs_contracting, lhs, count);
  fewer.rhs_contracting = Renumbered(dims.rhs_contracting, rhs, count);
  Builder b(dot);
  Instruction* small = b.Dot(Merged(b, dot->operand(0), lhs, count),
                             Merged(b, dot->operand(1), rhs, count), fewer,
                             dot->shape().element_type(), dot);
  ReplaceInstruction(dot, b.Reshape(small, dot->shape().dimensions()));
  return true;
}

}  // namespace

absl::StatusOr<bool> DotDimensionMerger::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) changed |= Merge(dot);
  }
  return changed;
}

}  // namespace hlokit
