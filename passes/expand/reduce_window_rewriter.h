// reduce-window-rewriter: long cumulative reductions as trees.
//
// A reduce-window whose windows are all prefixes (or all suffixes) of a
// dimension of n elements does n^2 / 2 steps. It becomes one over rows of
// `base` elements, one over the rows' totals (the same way again while they are
// many), and one combination of the two: about n * base steps. The function
// must be associative, as reduce-window asks for.
#ifndef HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_REWRITER_H_
#define HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_REWRITER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ReduceWindowRewriter : public OpExpander {
 public:
  explicit ReduceWindowRewriter(int64_t base = 16) : base_(base) {}
  absl::string_view name() const override { return "reduce-window-rewriter"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  int64_t base_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_REWRITER_H_
