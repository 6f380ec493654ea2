// constant_folding: computes instructions whose operands are all constants.
//
// The value comes from the evaluator that the program has
// (constant_evaluator.h); without one the pass does nothing. Left alone: what
// has side effects or control dependencies, random numbers, results that would
// be larger than 45 million elements or that only make a small constant large
// (broadcast, iota, pads and the like of more than 64 KiB or twice their
// operands), loops, calls and fusions. As XLA does, it keeps denormals that the
// program would flush; with exact_arithmetic it folds only what is the same
// either way.
#ifndef HLOKIT_PASSES_SIMPLIFY_CONSTANT_FOLDING_H_
#define HLOKIT_PASSES_SIMPLIFY_CONSTANT_FOLDING_H_

#include "passes/pass.h"

namespace hlokit {

class ConstantFolding : public Pass {
 public:
  absl::string_view name() const override { return "constant_folding"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_CONSTANT_FOLDING_H_
