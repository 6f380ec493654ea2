// batchnorm_expander: batch-norm-training, -inference and -grad as elementwise
// operations and reductions.
//
// The variance is the mean of (x - mean)^2: the difference of two large numbers
// (mean of x^2 minus mean^2) would lose digits. Types under 32 bits are
// computed in f32 and rounded once.
#ifndef HLOKIT_PASSES_EXPAND_BATCHNORM_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_BATCHNORM_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class BatchNormExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "batchnorm_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_BATCHNORM_EXPANDER_H_
