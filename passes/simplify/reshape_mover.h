// reshape-mover: moves reshapes and transposes behind element-wise operations.
//
// op(reshape(x), reshape(y)) becomes reshape(op(x, y)) when all operands are
// moved alike: reshapes from the same dimensions, or transposes with the same
// permutation; operands that are a scalar spread by a broadcast are spread
// differently instead. At least one such operand must have no other user, so
// that there are fewer reshapes afterwards, or as many.
#ifndef HLOKIT_PASSES_SIMPLIFY_RESHAPE_MOVER_H_
#define HLOKIT_PASSES_SIMPLIFY_RESHAPE_MOVER_H_

#include "passes/pass.h"

namespace hlokit {

class ReshapeMover : public Pass {
 public:
  absl::string_view name() const override { return "reshape-mover"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_RESHAPE_MOVER_H_
