#include "passes/expand/cse_barrier_expander.h"

namespace hlokit {

bool CseBarrierExpander::Matches(const Instruction& i) const {
  return i.opcode() == Opcode::kOptBarrier;
}

absl::StatusOr<Instruction*> CseBarrierExpander::Expand(Instruction* i,
                                                        Emitter& e) {
  return i->operand(0);
}

}  // namespace hlokit
