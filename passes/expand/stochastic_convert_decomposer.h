// stochastic_convert_decomposer: stochastic-convert to a signed integer as
// arithmetic.
//
// The magnitude is truncated and one larger where the random number, as a
// fraction of its range, is below what was cut off; then the sign is put back.
// Out of range saturates, NaN gives 0.
#ifndef HLOKIT_PASSES_EXPAND_STOCHASTIC_CONVERT_DECOMPOSER_H_
#define HLOKIT_PASSES_EXPAND_STOCHASTIC_CONVERT_DECOMPOSER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class StochasticConvertDecomposer : public OpExpander {
 public:
  absl::string_view name() const override {
    return "stochastic_convert_decomposer";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_STOCHASTIC_CONVERT_DECOMPOSER_H_
