// dynamic_padder: arrays of bounded dynamic dimensions become arrays of the
// bounds, their sizes scalars beside them; what lies beyond the sizes counts for
// nothing:
//
//   d = f32[<=8] set-dimension-size(x, n)       i = iota, m = i < n
//   s = f32[] reduce(d, zero), add         ->   s = reduce(select(m, x, 0), zero)
//
// Parameters of the entry come in by a custom call PadToStatic, its dynamic
// results go out by SliceToDynamic. Loops, branches and calls take dynamic
// arrays as arrays of the bounds, with the sizes as further elements of their
// state:
//
//   w = (s32[], f32[<=8]) while(...)  ->  w = (s32[], f32[8], s32[]) while(...)
//
// Works on entries, and on called computations that neither take nor give
// dynamic arrays, in which every operation on dynamic arrays is one that it
// knows: element-wise ones, moves that leave the dynamic dimensions whole, dots,
// reductions by add, multiply, maximum, minimum, and, or, and loops, branches
// and calls of computations with such operations that are called only there.
// Others stay as they are.
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
