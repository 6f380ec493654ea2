// despecializer: undoes what a backend did to a module: its schedule, control
// dependencies and fusions.
#ifndef HLOKIT_PASSES_BACKEND_DESPECIALIZER_H_
#define HLOKIT_PASSES_BACKEND_DESPECIALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class Despecializer : public Pass {
 public:
  absl::string_view name() const override { return "despecializer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_DESPECIALIZER_H_
