// real_imag_expander: the parts of real numbers.
//
//   real(x) -> x        imag(x) -> 0
#ifndef HLOKIT_PASSES_EXPAND_REAL_IMAG_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_REAL_IMAG_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class RealImagExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "real_imag_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_REAL_IMAG_EXPANDER_H_
