// all-reduce-promotion: all-reduces and reduce-scatters of bf16 work in f32.
//
// Operands are converted, the reduction gets f32 scalars, results are converted
// back. Async forms stay.
#ifndef HLOKIT_PASSES_TYPES_ALL_REDUCE_PROMOTION_H_
#define HLOKIT_PASSES_TYPES_ALL_REDUCE_PROMOTION_H_

#include "passes/pass.h"

namespace hlokit {

class AllReducePromotion : public Pass {
 public:
  absl::string_view name() const override { return "all-reduce-promotion"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_ALL_REDUCE_PROMOTION_H_
