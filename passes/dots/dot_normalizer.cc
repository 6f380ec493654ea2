#include "passes/dots/dot_normalizer.h"

#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

Instruction* WithDimension(Builder& b, Instruction* x) {
  Int64List sizes(x->shape().dimensions().begin(),
                  x->shape().dimensions().end());
  sizes.push_back(1);
  return b.Reshape(x, sizes);
}

bool Normalize(Instruction* dot) {
  DotDims dims = DotDimsOf(*dot);
  if (!dims.lhs_contracting.empty()) return false;
  Builder b(dot);
  dims.lhs_contracting = {dot->operand(0)->shape().rank()};
  dims.rhs_contracting = {dot->operand(1)->shape().rank()};
  ReplaceInstruction(dot, b.Dot(WithDimension(b, dot->operand(0)),
                                WithDimension(b, dot->operand(1)), dims,
                                dot->shape().element_type(), dot));
  return true;
}

}  // namespace

absl::StatusOr<bool> DotNormalizer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) {
      if (!dot->users().empty() || dot->IsRoot()) changed |= Normalize(dot);
    }
  }
  return changed;
}

}  // namespace hlokit
