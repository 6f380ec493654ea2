// result_caster: dots and convolutions whose result is narrower than their
// operands compute in the operands' type and convert afterwards.
#ifndef HLOKIT_PASSES_TYPES_RESULT_CASTER_H_
#define HLOKIT_PASSES_TYPES_RESULT_CASTER_H_

#include "passes/pass.h"

namespace hlokit {

class ResultCaster : public Pass {
 public:
  absl::string_view name() const override { return "result_caster"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_RESULT_CASTER_H_
