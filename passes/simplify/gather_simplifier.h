// gather_simplifier: brings gathers into their simple form.
//
// The indices become a matrix [n, index size], no dimension is collapsed, the
// offset dimensions of the result follow the one batch dimension. Transposes and
// reshapes of indices and result lead there and back; the operand, which may be
// large, is read as it lies, whichever of its dimensions are indexed.
// Gathers with batching dimensions stay (batched_gather_scatter_normalizer
// takes those away).
#ifndef HLOKIT_PASSES_SIMPLIFY_GATHER_SIMPLIFIER_H_
#define HLOKIT_PASSES_SIMPLIFY_GATHER_SIMPLIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class GatherSimplifier : public Pass {
 public:
  absl::string_view name() const override { return "gather_simplifier"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_GATHER_SIMPLIFIER_H_
