// convolution_4d_expander: convolutions of more than two spatial dimensions
// lose those that do nothing: size one of input, kernel and output, no padding.
#ifndef HLOKIT_PASSES_EXPAND_CONVOLUTION_4D_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_CONVOLUTION_4D_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class Convolution4DExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "convolution_4d_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CONVOLUTION_4D_EXPANDER_H_
