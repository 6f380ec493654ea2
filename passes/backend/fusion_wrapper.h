// fusion-wrapper: single operations that walk over elements become fusions.
//
// So that one code generator serves them all. Wrapped are element-wise
// operations, copies, broadcasts, iotas, slices, gathers, pads, reverses,
// transposes, reductions, reduce-windows and scatters that give an array; names
// are wrapped_OPCODE and wrapped_OPCODE_computation, as XLA's. Left alone: what
// is inside fusions or applied to elements, dynamic shapes, side effects.
#ifndef HLOKIT_PASSES_BACKEND_FUSION_WRAPPER_H_
#define HLOKIT_PASSES_BACKEND_FUSION_WRAPPER_H_

#include "passes/pass.h"

namespace hlokit {

class FusionWrapper : public Pass {
 public:
  absl::string_view name() const override { return "fusion-wrapper"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_FUSION_WRAPPER_H_
