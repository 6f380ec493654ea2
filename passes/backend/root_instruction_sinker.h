// root-instruction-sinker: in every scheduled computation the root comes last. A
// root that others use is left to them and copied for the end if it is a tuple.
#ifndef HLOKIT_PASSES_BACKEND_ROOT_INSTRUCTION_SINKER_H_
#define HLOKIT_PASSES_BACKEND_ROOT_INSTRUCTION_SINKER_H_

#include "passes/pass.h"

namespace hlokit {

class RootInstructionSinker : public Pass {
 public:
  absl::string_view name() const override { return "root-instruction-sinker"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_ROOT_INSTRUCTION_SINKER_H_
