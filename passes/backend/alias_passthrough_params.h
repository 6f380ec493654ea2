// alias_passthrough_params: a result that is a parameter as it came shares that
// parameter's buffer, so that no copy has to be made. Each parameter once.
#ifndef HLOKIT_PASSES_BACKEND_ALIAS_PASSTHROUGH_PARAMS_H_
#define HLOKIT_PASSES_BACKEND_ALIAS_PASSTHROUGH_PARAMS_H_

#include "passes/pass.h"

namespace hlokit {

class AliasPassthroughParams : public Pass {
 public:
  absl::string_view name() const override { return "alias_passthrough_params"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_ALIAS_PASSTHROUGH_PARAMS_H_
