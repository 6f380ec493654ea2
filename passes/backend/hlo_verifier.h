// hlo-verifier: checks the rules of HLO; a broken one is an error.
//
// Changes nothing.
#ifndef HLOKIT_PASSES_BACKEND_HLO_VERIFIER_H_
#define HLOKIT_PASSES_BACKEND_HLO_VERIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class HloVerifierPass : public Pass {
 public:
  absl::string_view name() const override { return "hlo-verifier"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_HLO_VERIFIER_H_
