// batch-dot-simplification: batch dimensions of size 1 leave the dot.
//
// The operands are reshaped without them, the result is reshaped back.
#ifndef HLOKIT_PASSES_DOTS_BATCH_DOT_SIMPLIFICATION_H_
#define HLOKIT_PASSES_DOTS_BATCH_DOT_SIMPLIFICATION_H_

#include "passes/pass.h"

namespace hlokit {

class BatchDotSimplification : public Pass {
 public:
  absl::string_view name() const override {
    return "batch-dot-simplification";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_BATCH_DOT_SIMPLIFICATION_H_
