// fusion_constant_sinking: constants of one element move into the fusions that
// take them.
//
// The parameter they stood for goes away.
#ifndef HLOKIT_PASSES_BACKEND_FUSION_CONSTANT_SINKING_H_
#define HLOKIT_PASSES_BACKEND_FUSION_CONSTANT_SINKING_H_

#include "passes/pass.h"

namespace hlokit {

class FusionConstantSinking : public Pass {
 public:
  absl::string_view name() const override { return "fusion_constant_sinking"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_FUSION_CONSTANT_SINKING_H_
