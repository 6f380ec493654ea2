#include "passes/backend/fusion_constant_sinking.h"

#include <vector>

#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsSmall(const Instruction* x) {
  return x->opcode() == Opcode::kConstant && x->shape().IsArray() &&
         ElementsIn(x->shape()) == 1;
}

bool Sink(Instruction* fusion) {
  Computation* body = fusion->to_apply();
  if (body->callers().size() != 1 ||
      fusion->attrs().Has(AttrId::kOutputToOperandAliasing)) {
    return false;
  }
  std::vector<Instruction*> operands;
  std::vector<int64_t> gone;
  for (int64_t k = 0; k < fusion->operand_count(); ++k) {
    Instruction* operand = fusion->operand(k);
    Instruction* parameter = body->parameter(k);
    if (!IsSmall(operand) || parameter->IsRoot()) {
      operands.push_back(operand);
      continue;
    }
    if (!parameter->users().empty()) {
      Builder b(body);
      parameter->ReplaceAllUsesWith(
          b.CloneOfShape(*operand, parameter->shape(), {}));
    }
    gone.push_back(k);
  }
  if (gone.empty()) return false;
  for (size_t k = gone.size(); k-- > 0;) body->RemoveParameter(gone[k]);
  Builder b(fusion);
  Instruction* smaller = b.CloneOfShape(*fusion, fusion->shape(), operands);
  ReplaceInstruction(fusion, smaller);
  return true;
}

}  // namespace

absl::StatusOr<bool> FusionConstantSinking::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() == Opcode::kFusion) changed |= Sink(i);
    }
  }
  return changed;
}

}  // namespace hlokit
