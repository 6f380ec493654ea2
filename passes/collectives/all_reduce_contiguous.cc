#include "passes/collectives/all_reduce_contiguous.h"

#include <vector>

#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsOfSeveralAlike(const Instruction& i) {
  if (i.opcode() != Opcode::kAllReduce || i.operand_count() < 2 ||
      i.shape().is_dynamic()) {
    return false;
  }
  for (const Instruction* operand : i.operands()) {
    if (!SameElementType(operand->shape(), i.operand(0)->shape())) return false;
  }
  return true;
}

void MakeContiguous(Instruction* reduce) {
  Builder b(reduce);
  std::vector<Instruction*> lists;
  for (Instruction* operand : reduce->operands()) {
    lists.push_back(b.Reshape(operand, {ElementsIn(operand->shape())}));
  }
  Instruction* all = b.Concatenate(lists, 0);
  AttributeSet attrs = reduce->attrs();
  attrs.Erase(AttrId::kSharding);
  Instruction* one = b.OpOfShape(Opcode::kAllReduce, all->shape(), {all},
                                 attrs, reduce->called_computations());
  std::vector<Instruction*> results;
  int64_t at = 0;
  for (const Instruction* operand : reduce->operands()) {
    const int64_t size = ElementsIn(operand->shape());
    results.push_back(b.Reshape(b.SliceInDim(one, 0, at, at + size),
                                operand->shape().dimensions()));
    at += size;
  }
  ReplaceInstruction(reduce, b.Tuple(results));
}

}  // namespace

absl::StatusOr<bool> AllReduceContiguous::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsOfSeveralAlike(*i)) continue;
      MakeContiguous(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
