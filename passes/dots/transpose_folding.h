// transpose-folding: a dot or convolution reads its operand as it lies, without
// the transpose before it.
//
// dot(transpose(x), y) takes x with its dimensions renumbered. A dot's
// transpose folds when it leaves the batch dimensions where they are (so that
// the result keeps its order), a convolution's always: the dimension labels
// take it.
#ifndef HLOKIT_PASSES_DOTS_TRANSPOSE_FOLDING_H_
#define HLOKIT_PASSES_DOTS_TRANSPOSE_FOLDING_H_

#include "passes/pass.h"

namespace hlokit {

class TransposeFolding : public Pass {
 public:
  absl::string_view name() const override { return "transpose-folding"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_TRANSPOSE_FOLDING_H_
