// zero_sized_hlo_elimination: arrays without elements become constants.
//
// Parameters and constants stay, as do side effects and dynamic shapes.
#ifndef HLOKIT_PASSES_SIMPLIFY_ZERO_SIZED_HLO_ELIMINATION_H_
#define HLOKIT_PASSES_SIMPLIFY_ZERO_SIZED_HLO_ELIMINATION_H_

#include "passes/pass.h"

namespace hlokit {

class ZeroSizedHloElimination : public Pass {
 public:
  absl::string_view name() const override {
    return "zero_sized_hlo_elimination";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_ZERO_SIZED_HLO_ELIMINATION_H_
