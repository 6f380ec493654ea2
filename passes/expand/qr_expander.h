// qr_expander: the custom-calls of the QR decomposition by Householder
// reflections, in panels of columns.
//
//   Qr: a -> (R on and above the diagonal, reflectors below; their factors)
//   ProductOfElementaryHouseholderReflectors: (reflectors, factors) -> Q
//
// Reflector i is I - tau[i] v v^H with v[i] = 1 and zeros above (LAPACK's
// form). A panel is decomposed in a loop over its columns; its reflectors
// together are I - V T V^H, which is applied to the rest as three products.
#ifndef HLOKIT_PASSES_EXPAND_QR_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_QR_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class QrExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "qr_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_QR_EXPANDER_H_
