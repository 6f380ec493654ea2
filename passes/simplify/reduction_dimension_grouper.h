// reduction-dimension-grouper: neighbouring dimensions that are reduced together
// become one.
//
//   reduce(f32[2,3,4,5] x), dimensions={1,2}
//     ->  reduce(f32[2,12,5] reshape(x)), dimensions={1}
//
// Where the operands are laid out row-major, so that the reshape moves nothing.
#ifndef HLOKIT_PASSES_SIMPLIFY_REDUCTION_DIMENSION_GROUPER_H_
#define HLOKIT_PASSES_SIMPLIFY_REDUCTION_DIMENSION_GROUPER_H_

#include "passes/pass.h"

namespace hlokit {

class ReductionDimensionGrouper : public Pass {
 public:
  absl::string_view name() const override {
    return "reduction-dimension-grouper";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_REDUCTION_DIMENSION_GROUPER_H_
