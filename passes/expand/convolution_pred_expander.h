// convolution-pred-expander: convolutions of pred in f16; the sum of products
// is true when it is not 0.
#ifndef HLOKIT_PASSES_EXPAND_CONVOLUTION_PRED_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_CONVOLUTION_PRED_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ConvolutionPredExpander : public OpExpander {
 public:
  absl::string_view name() const override {
    return "convolution-pred-expander";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CONVOLUTION_PRED_EXPANDER_H_
