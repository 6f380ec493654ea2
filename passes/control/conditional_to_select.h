// conditional-to-select: conditionals where control flow is not allowed.
//
// Inside computations that are applied to elements (map, reduce, sort,
// scatter, ...) both branches are executed and a select takes the result.
// Branches with side effects, loops or calls stay, and with them the
// conditional.
#ifndef HLOKIT_PASSES_CONTROL_CONDITIONAL_TO_SELECT_H_
#define HLOKIT_PASSES_CONTROL_CONDITIONAL_TO_SELECT_H_

#include "passes/pass.h"

namespace hlokit {

class ConditionalToSelect : public Pass {
 public:
  absl::string_view name() const override { return "conditional-to-select"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_CONDITIONAL_TO_SELECT_H_
