// simplify-fp-conversions: chains of float conversions become one.
//
// f32 -> bf16 -> f32 vanishes, bf16 -> f32 -> f16 is bf16 -> f16: results may
// be more precise than the program says, which XLA's default
// (xla_allow_excess_precision) permits. The opcode reduce-precision keeps a
// rounding.
#ifndef HLOKIT_PASSES_TYPES_SIMPLIFY_FP_CONVERSIONS_H_
#define HLOKIT_PASSES_TYPES_SIMPLIFY_FP_CONVERSIONS_H_

#include "passes/pass.h"

namespace hlokit {

class SimplifyFpConversions : public Pass {
 public:
  absl::string_view name() const override { return "simplify-fp-conversions"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_SIMPLIFY_FP_CONVERSIONS_H_
