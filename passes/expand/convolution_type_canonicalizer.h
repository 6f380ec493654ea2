// ConvolutionTypeCanonicalizer: convolutions whose operands are of other types
// than the result get operands of the result's type.
#ifndef HLOKIT_PASSES_EXPAND_CONVOLUTION_TYPE_CANONICALIZER_H_
#define HLOKIT_PASSES_EXPAND_CONVOLUTION_TYPE_CANONICALIZER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ConvolutionTypeCanonicalizer : public OpExpander {
 public:
  absl::string_view name() const override {
    return "ConvolutionTypeCanonicalizer";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CONVOLUTION_TYPE_CANONICALIZER_H_
