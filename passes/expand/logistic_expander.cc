#include "passes/expand/logistic_expander.h"

namespace hlokit {

bool LogisticExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kLogistic && IsStatic(i);
}

absl::StatusOr<Instruction*> LogisticExpander::Expand(Instruction* i,
                                                      Emitter& e) {
  Instruction* x = i->operand(0);
  Instruction* one = e.Full(x->shape().element_type(),
                            x->shape().dimensions(), 1);
  Instruction* power =
      e.Unary(Opcode::kExponential, e.Unary(Opcode::kNegate, x));
  return e.Divide(one, e.Add(one, power));
}

}  // namespace hlokit
