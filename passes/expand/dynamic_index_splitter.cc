#include "passes/expand/dynamic_index_splitter.h"

namespace hlokit {
namespace {

// Where the starts begin among the operands.
int64_t FirstIndex(const Instruction& i) {
  return i.opcode() == Opcode::kDynamicSlice ? 1 : 2;
}

}  // namespace

bool DynamicIndexSplitter::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kDynamicSlice &&
      i.opcode() != Opcode::kDynamicUpdateSlice) {
    return false;
  }
  const int64_t first = FirstIndex(i);
  return i.operand_count() == first + 1 &&
         i.operand(first)->shape().rank() == 1;
}

absl::StatusOr<Instruction*> DynamicIndexSplitter::Expand(Instruction* i,
                                                          Emitter& e) {
  const int64_t first = FirstIndex(*i);
  Instruction* vector = i->operand(first);
  // Nothing moves in an array without dimensions.
  if (i->operand(0)->shape().rank() == 0) return i->operand(first - 1);
  Values operands(i->operands().begin(), i->operands().begin() + first);
  for (int64_t d = 0; d < vector->shape().dimension(0); ++d) {
    operands.push_back(e.Reshape(e.SliceInDim(vector, 0, d, d + 1), {}));
  }
  return i->parent()->AddClone(*i, i->shape(), operands);
}

}  // namespace hlokit
