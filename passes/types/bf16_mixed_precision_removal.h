// bf16-mixed-precision-removal: operations that compute with bf16 and f32 at once
// (a dot of bf16 with an f32 result, say) get all operands in f32.
#ifndef HLOKIT_PASSES_TYPES_BF16_MIXED_PRECISION_REMOVAL_H_
#define HLOKIT_PASSES_TYPES_BF16_MIXED_PRECISION_REMOVAL_H_

#include "passes/pass.h"

namespace hlokit {

class Bf16MixedPrecisionRemoval : public Pass {
 public:
  absl::string_view name() const override { return "bf16-mixed-precision-removal"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_BF16_MIXED_PRECISION_REMOVAL_H_
