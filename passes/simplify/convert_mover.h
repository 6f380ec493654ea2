// convert-mover: does moves in the narrower of two types.
//
// Widening conversions go behind reshapes, transposes, broadcasts, slices,
// reverses and concatenations (of which all operands are converted alike);
// narrowing ones go before them. Values stay the same, bytes become fewer.
#ifndef HLOKIT_PASSES_SIMPLIFY_CONVERT_MOVER_H_
#define HLOKIT_PASSES_SIMPLIFY_CONVERT_MOVER_H_

#include "passes/pass.h"

namespace hlokit {

class ConvertMover : public Pass {
 public:
  absl::string_view name() const override { return "convert-mover"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_CONVERT_MOVER_H_
