// reduce-window-resizer: a reduce-window over a list becomes one over a matrix
// of one column, for backends that know no windows of one dimension.
//
//   f32[n] reduce-window(x)  ->
//   f32[n] reshape(f32[n,1] reduce-window(f32[n,1] reshape(x)))
#ifndef HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_RESIZER_H_
#define HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_RESIZER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ReduceWindowResizer : public OpExpander {
 public:
  absl::string_view name() const override { return "reduce-window-resizer"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_RESIZER_H_
