#include "passes/dots/gemv_rewriter.h"

#include "passes/dots/dot_util.h"

namespace hlokit {
namespace {

bool Rewrite(Instruction* dot) {
  const DotDims dims = DotDimsOf(*dot);
  const bool lhs_vector = LhsFree(*dot, dims).empty();
  const bool rhs_vector = RhsFree(*dot, dims).empty();
  if (lhs_vector == rhs_vector) return false;
  Builder b(dot);
  Instruction* operands[] = {dot->operand(0), dot->operand(1)};
  Instruction*& vector = operands[lhs_vector ? 0 : 1];
  Int64List sizes(vector->shape().dimensions().begin(),
                  vector->shape().dimensions().end());
  sizes.push_back(1);
  vector = b.Reshape(vector, sizes);
  Instruction* wide = b.Dot(operands[0], operands[1], dims,
                            dot->shape().element_type(), dot);
  ReplaceInstruction(dot, b.Reshape(wide, dot->shape().dimensions()));
  return true;
}

}  // namespace

absl::StatusOr<bool> GemvRewriter::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* dot : DotsOf(*computation)) {
      if (!dot->users().empty() || dot->IsRoot()) changed |= Rewrite(dot);
    }
  }
  return changed;
}

}  // namespace hlokit
