// dynamic-dimension-simplifier: tidies up how sizes are put together.
//
// Of s32 values only, for that is what dimension sizes are: concatenations in
// concatenations, an element that is sliced out of a concatenation of elements,
// reshapes from a scalar to one element and back. Also: the size of a static
// dimension is a constant.
#ifndef HLOKIT_PASSES_SIMPLIFY_DYNAMIC_DIMENSION_SIMPLIFIER_H_
#define HLOKIT_PASSES_SIMPLIFY_DYNAMIC_DIMENSION_SIMPLIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class DynamicDimensionSimplifier : public Pass {
 public:
  absl::string_view name() const override {
    return "dynamic-dimension-simplifier";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_DYNAMIC_DIMENSION_SIMPLIFIER_H_
