#include "passes/types/bfloat16_fold.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsOfType(const Instruction* i, PrimitiveType type) {
  return i->shape().element_type() == type;
}

bool Fold(Instruction* i) {
  const bool product =
      i->opcode() == Opcode::kDot || i->opcode() == Opcode::kConvolution;
  if (!product || i->operand_count() != 2 || !IsOfType(i, kF32) ||
      !IsOfType(i->operand(0), kBF16) || !IsOfType(i->operand(1), kBF16) ||
      i->IsRoot() || i->users().empty() ||
      !absl::c_all_of(i->users(), [](const Instruction* user) {
        return user->opcode() == Opcode::kConvert && IsOfType(user, kBF16);
      })) {
    return false;
  }
  Shape shape = i->shape();
  shape.set_element_type(kBF16);
  Builder b(i);
  Instruction* narrow = b.CloneOfShape(*i, shape, i->operands());
  const std::vector<Instruction*> users(i->users().begin(), i->users().end());
  for (Instruction* user : users) ReplaceInstruction(user, narrow);
  return true;
}

}  // namespace

absl::StatusOr<bool> Bfloat16Fold::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    std::vector<Instruction*> products;
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() == Opcode::kDot || i->opcode() == Opcode::kConvolution) {
        products.push_back(i);
      }
    }
    for (Instruction* i : products) changed |= Fold(i);
  }
  return changed;
}

}  // namespace hlokit
