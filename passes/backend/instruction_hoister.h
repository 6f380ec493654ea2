// instruction-hoister: in every scheduled computation the parameters come first,
// by number.
#ifndef HLOKIT_PASSES_BACKEND_INSTRUCTION_HOISTER_H_
#define HLOKIT_PASSES_BACKEND_INSTRUCTION_HOISTER_H_

#include "passes/pass.h"

namespace hlokit {

class InstructionHoister : public Pass {
 public:
  absl::string_view name() const override { return "instruction-hoister"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_INSTRUCTION_HOISTER_H_
