// bfloat16-propagation: f32 values that are only moved before they are rounded to
// bf16 are rounded first and moved as bf16, half the bytes.
//
//   convert<bf16>(transpose<f32>(x))  ->  transpose<bf16>(convert<bf16>(x))
//
// Moves that make arrays smaller (slices, gathers) stay unless their operand was
// bf16 before: rounding first would round more.
#ifndef HLOKIT_PASSES_TYPES_BFLOAT16_PROPAGATION_H_
#define HLOKIT_PASSES_TYPES_BFLOAT16_PROPAGATION_H_

#include "passes/pass.h"

namespace hlokit {

class Bfloat16Propagation : public Pass {
 public:
  absl::string_view name() const override { return "bfloat16-propagation"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_BFLOAT16_PROPAGATION_H_
