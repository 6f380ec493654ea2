// bfloat16-fold: a dot or convolution of bf16 operands whose f32 result is only
// ever rounded to bf16 gives bf16 itself. It adds up in f32 either way and rounds
// once, so that values stay.
//
//   convert<bf16>(dot<f32>(a, b))  ->  dot<bf16>(a, b)
#ifndef HLOKIT_PASSES_TYPES_BFLOAT16_FOLD_H_
#define HLOKIT_PASSES_TYPES_BFLOAT16_FOLD_H_

#include "passes/pass.h"

namespace hlokit {

class Bfloat16Fold : public Pass {
 public:
  absl::string_view name() const override { return "bfloat16-fold"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_BFLOAT16_FOLD_H_
