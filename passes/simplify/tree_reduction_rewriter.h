// tree_reduction_rewriter: sums long dimensions in two steps.
//
// A reduction over a dimension of more than 32 elements becomes a reduce-window
// of blocks of up to 32 elements and a reduction of what they give. Rounding
// errors then grow less with the length. For reductions of one operand whose
// operation commutes, whose reduced dimensions all are that long, and whose
// initial value changes nothing.
#ifndef HLOKIT_PASSES_SIMPLIFY_TREE_REDUCTION_REWRITER_H_
#define HLOKIT_PASSES_SIMPLIFY_TREE_REDUCTION_REWRITER_H_

#include "passes/pass.h"

namespace hlokit {

class TreeReductionRewriter : public Pass {
 public:
  absl::string_view name() const override { return "tree_reduction_rewriter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_TREE_REDUCTION_REWRITER_H_
