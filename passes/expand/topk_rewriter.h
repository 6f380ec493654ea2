// topk-rewriter: sorts of which only the first k of each row are used become
// TopK custom-calls.
//
//   sort(x, iota) by descending values of the last dimension, then [0, k)
//
// Only f32 rows of arrays with one or two dimensions: those the TopK kernels of
// CPU and GPU take. Comparators may be of the total order, of floats, or of the
// integers that comparison-expander makes of them.
#ifndef HLOKIT_PASSES_EXPAND_TOPK_REWRITER_H_
#define HLOKIT_PASSES_EXPAND_TOPK_REWRITER_H_

#include "passes/pass.h"

namespace hlokit {

class TopKRewriter : public Pass {
 public:
  absl::string_view name() const override { return "topk-rewriter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_TOPK_REWRITER_H_
