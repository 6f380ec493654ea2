// float-normalization-TYPE: computes in a wider type what has no
// implementation in TYPE.
//
// Arithmetic, comparisons, dots, convolutions and reductions (their reducers,
// too) on TYPE get their operands converted to a wider type and their result
// converted back. What only moves elements, conversions, calls and control
// flow stay. The wider type: f32 for bf16 and f8e8m0fnu, f16 for the other
// 8-bit and 4-bit floats, s8 for s4, u8 for u4. Of signed 4-bit integers
// logical shifts and bit counts stay, for they depend on the width.
#ifndef HLOKIT_PASSES_TYPES_FLOAT_NORMALIZATION_H_
#define HLOKIT_PASSES_TYPES_FLOAT_NORMALIZATION_H_

#include <string>

#include "hlo/ir/primitive_type.h"
#include "passes/pass.h"

namespace hlokit {

class FloatNormalization : public Pass {
 public:
  FloatNormalization(PrimitiveType type, PrimitiveType wide);
  absl::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  PrimitiveType type_, wide_;
  std::string name_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_FLOAT_NORMALIZATION_H_
