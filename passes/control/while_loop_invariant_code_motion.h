// while-loop-invariant-code-motion: computes once before the loop what every
// iteration computes alike.
//
// An instruction of the body moves out when all its operands are elements that
// no iteration changes, constants, or moved themselves; its value joins the
// loop's state. Cheap ones (reshapes, broadcasts, constants, ...) move only
// with one that needs them. Left in: side effects, control dependencies,
// parameters, collectives, and values larger than all operands together.
#ifndef HLOKIT_PASSES_CONTROL_WHILE_LOOP_INVARIANT_CODE_MOTION_H_
#define HLOKIT_PASSES_CONTROL_WHILE_LOOP_INVARIANT_CODE_MOTION_H_

#include "passes/pass.h"

namespace hlokit {

class WhileLoopInvariantCodeMotion : public Pass {
 public:
  absl::string_view name() const override {
    return "while-loop-invariant-code-motion";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_WHILE_LOOP_INVARIANT_CODE_MOTION_H_
