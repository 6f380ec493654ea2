// slice-sinker: element-wise work on several slices of the same arrays is done
// once on the arrays.
//
// op(slice(x), slice(y)) for a number of ranges, each range alike on all
// operands, becomes op(x, y) and the slices of that, when the slices together
// hold at least as many elements as the arrays.
#ifndef HLOKIT_PASSES_SIMPLIFY_SLICE_SINKER_H_
#define HLOKIT_PASSES_SIMPLIFY_SLICE_SINKER_H_

#include "passes/pass.h"

namespace hlokit {

class SliceSinker : public Pass {
 public:
  absl::string_view name() const override { return "slice-sinker"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_SLICE_SINKER_H_
