#include "passes/expand/assume_gather_indices_in_bound_rewrite_to_copy.h"

namespace hlokit {

bool AssumeGatherIndicesInBoundRewriteToCopy::Matches(
    const Instruction& i) const {
  return i.opcode() == Opcode::kCustomCall &&
         i.custom_call_target() == "AssumeGatherIndicesInBound" &&
         i.operand_count() == 1 &&
         ShapesCompatible(i.shape(), i.operand(0)->shape());
}

absl::StatusOr<Instruction*> AssumeGatherIndicesInBoundRewriteToCopy::Expand(
    Instruction* i, Emitter& e) {
  return e.Unary(Opcode::kCopy, i->operand(0));
}

}  // namespace hlokit
