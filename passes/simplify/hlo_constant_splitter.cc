#include "passes/simplify/hlo_constant_splitter.h"

#include <vector>

#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {

absl::StatusOr<bool> HloConstantSplitter::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* constant : computation->PostOrder()) {
      if (!IsConstantScalar(constant) || constant->user_count() < 2) continue;
      const std::vector<Instruction*> users(constant->users().begin() + 1,
                                            constant->users().end());
      for (Instruction* user : users) {
        Builder b(constant);
        Instruction* copy = b.CloneOfShape(*constant, constant->shape(), {});
        for (int64_t k = 0; k < user->operand_count(); ++k) {
          if (user->operand(k) == constant) user->ReplaceOperand(k, copy);
        }
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace hlokit
