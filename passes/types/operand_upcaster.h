// operand_upcaster: dots and convolutions whose operands are narrower than the
// result take operands of the result's type.
//
// s8 x s8 -> s32 becomes s32 x s32 -> s32, so bf16 -> f32 and the like; the
// operation itself stays. Where operand and result are of different kinds
// (integers and floats) nothing happens.
#ifndef HLOKIT_PASSES_TYPES_OPERAND_UPCASTER_H_
#define HLOKIT_PASSES_TYPES_OPERAND_UPCASTER_H_

#include "passes/pass.h"

namespace hlokit {

class OperandUpcaster : public Pass {
 public:
  absl::string_view name() const override { return "operand_upcaster"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_OPERAND_UPCASTER_H_
