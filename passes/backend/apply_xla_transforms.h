// apply-xla-transforms: what a program that links the library wants done at
// this place of the pipelines. hlo-opt registers nothing, so there it changes
// nothing.
#ifndef HLOKIT_PASSES_BACKEND_APPLY_XLA_TRANSFORMS_H_
#define HLOKIT_PASSES_BACKEND_APPLY_XLA_TRANSFORMS_H_

#include <functional>

#include "passes/pass.h"

namespace hlokit {

// Says whether it changed the module.
using ModuleTransform = std::function<absl::StatusOr<bool>(Module*)>;

// Every later run of the pass calls the transforms in the order in which they
// came. Thread-safe.
void RegisterTransform(ModuleTransform transform);
void ClearTransforms();

class ApplyXlaTransforms : public Pass {
 public:
  absl::string_view name() const override { return "apply-xla-transforms"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_APPLY_XLA_TRANSFORMS_H_
