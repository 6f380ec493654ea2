#include "passes/types/simplify_fp_conversions.h"

#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsFloatConvert(const Instruction* i) {
  return i->opcode() == Opcode::kConvert &&
         IsFloatType(i->shape().element_type()) &&
         IsFloatType(i->operand(0)->shape().element_type());
}

}  // namespace

absl::StatusOr<bool> SimplifyFpConversions::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsFloatConvert(i) || (i->users().empty() && !i->IsRoot())) continue;
      Instruction* source = i->operand(0);
      while (IsFloatConvert(source)) source = source->operand(0);
      if (source == i->operand(0)) continue;
      Builder b(i);
      ReplaceInstruction(i, b.Convert(source, i->shape().element_type()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
