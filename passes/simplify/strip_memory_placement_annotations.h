// strip-memory-placement-annotations: custom calls of annotate_device_placement,
// which only say in which memory a value is to lie, give way to their operands.
#ifndef HLOKIT_PASSES_SIMPLIFY_STRIP_MEMORY_PLACEMENT_ANNOTATIONS_H_
#define HLOKIT_PASSES_SIMPLIFY_STRIP_MEMORY_PLACEMENT_ANNOTATIONS_H_

#include "passes/pass.h"

namespace hlokit {

class StripMemoryPlacementAnnotations : public Pass {
 public:
  absl::string_view name() const override { return "strip-memory-placement-annotations"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_STRIP_MEMORY_PLACEMENT_ANNOTATIONS_H_
