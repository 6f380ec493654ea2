// control-dep-remover: removes all control dependencies.
#ifndef HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REMOVER_H_
#define HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REMOVER_H_

#include "passes/pass.h"

namespace hlokit {

class ControlDepRemover : public Pass {
 public:
  absl::string_view name() const override { return "control-dep-remover"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REMOVER_H_
