// convolution-canonicalization: the dimension order that fast convolutions
// want.
//
// Input and result are [batch, spatial..., feature], the kernel is [spatial...,
// input feature, output feature]; transposes lead there and back. For f16 and
// f32, as in XLA's CPU compiler.
#ifndef HLOKIT_PASSES_DOTS_CONVOLUTION_CANONICALIZATION_H_
#define HLOKIT_PASSES_DOTS_CONVOLUTION_CANONICALIZATION_H_

#include "passes/pass.h"

namespace hlokit {

class ConvolutionCanonicalization : public Pass {
 public:
  absl::string_view name() const override {
    return "convolution-canonicalization";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_CONVOLUTION_CANONICALIZATION_H_
