#include "passes/expand/real_imag_expander.h"

namespace hlokit {

bool RealImagExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kReal && i.opcode() != Opcode::kImag) return false;
  return !IsComplexType(i.operand(0)->shape().element_type()) &&
         (i.opcode() == Opcode::kReal || IsStatic(i));
}

absl::StatusOr<Instruction*> RealImagExpander::Expand(Instruction* i,
                                                      Emitter& e) {
  if (i->opcode() == Opcode::kReal) return i->operand(0);
  return e.Full(i->shape().element_type(), i->shape().dimensions(), 0);
}

}  // namespace hlokit
