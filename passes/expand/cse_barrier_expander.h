// cse_barrier_expander: opt-barrier(x) -> x, once nothing need be kept apart.
#ifndef HLOKIT_PASSES_EXPAND_CSE_BARRIER_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_CSE_BARRIER_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class CseBarrierExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "cse_barrier_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CSE_BARRIER_EXPANDER_H_
