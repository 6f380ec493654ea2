// dynamic_padder: arrays of bounded dynamic dimensions become arrays of the
// bounds, their sizes scalars beside them; what lies beyond the sizes counts for
// nothing:
//
//   d = f32[<=8] set-dimension-size(x, n)       i = iota, m = i < n
//   s = f32[] reduce(d, zero), add         ->   s = reduce(select(m, x, 0), zero)
//
// Parameters come in by a custom call PadToStatic, dynamic results go out by
// SliceToDynamic. Works on entries in which every operation on dynamic arrays is
// one that it knows: element-wise ones, moves that leave the dynamic dimensions
// whole, dots, reductions by add, multiply, maximum, minimum, and, or. Others
// stay as they are.
#ifndef HLOKIT_PASSES_SIMPLIFY_DYNAMIC_PADDER_H_
#define HLOKIT_PASSES_SIMPLIFY_DYNAMIC_PADDER_H_

#include "passes/pass.h"

namespace hlokit {

class DynamicPadder : public Pass {
 public:
  absl::string_view name() const override { return "dynamic_padder"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_DYNAMIC_PADDER_H_
