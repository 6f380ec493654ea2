// defuser: puts the bodies of fusions in their place.
#ifndef HLOKIT_PASSES_BACKEND_DEFUSER_H_
#define HLOKIT_PASSES_BACKEND_DEFUSER_H_

#include "passes/pass.h"

namespace hlokit {

class Defuser : public Pass {
 public:
  absl::string_view name() const override { return "defuser"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_DEFUSER_H_
