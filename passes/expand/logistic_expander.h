// logistic-expander: logistic(x) -> 1 / (1 + exp(-x)).
//
// Saturates rightly: exp(-x) of large negative x is inf, its inverse 0.
#ifndef HLOKIT_PASSES_EXPAND_LOGISTIC_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_LOGISTIC_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class LogisticExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "logistic-expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_LOGISTIC_EXPANDER_H_
