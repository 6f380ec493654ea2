#include "passes/simplify/zero_sized_hlo_elimination.h"

#include "hlo/ir/empty_rows.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsZeroSized(const Instruction& i) {
  return i.opcode() != Opcode::kParameter && i.opcode() != Opcode::kConstant &&
         i.shape().IsArray() && i.shape().is_static() &&
         ElementsIn(i.shape()) == 0 && (!i.users().empty() || i.IsRoot()) &&
         EmptyRows(i.shape().dimensions()) <= kMaxEmptyRows &&
         !i.HasSideEffect();
}

}  // namespace

absl::StatusOr<bool> ZeroSizedHloElimination::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsZeroSized(*i)) continue;
      Builder b(i);
      ReplaceInstruction(i, b.Constant(Literal::Zeros(i->shape())));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
