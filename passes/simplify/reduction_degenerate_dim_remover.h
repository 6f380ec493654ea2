// reduction-degenerate-dim-remover: reductions of arrays with dimensions of size
// one work on arrays without them.
//
//   reduce(x[1,8,4], {0,2})  ->  reshape(reduce(reshape(x, [8,4]), {1}))
//
// A reduction of nothing but such dimensions still combines its elements with
// the initial value and stays as it is.
#ifndef HLOKIT_PASSES_SIMPLIFY_REDUCTION_DEGENERATE_DIM_REMOVER_H_
#define HLOKIT_PASSES_SIMPLIFY_REDUCTION_DEGENERATE_DIM_REMOVER_H_

#include "passes/pass.h"

namespace hlokit {

class ReductionDegenerateDimRemover : public Pass {
 public:
  absl::string_view name() const override { return "reduction-degenerate-dim-remover"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_REDUCTION_DEGENERATE_DIM_REMOVER_H_
