// while_loop_unroller: short loops of a known number of iterations become their
// bodies, one after another.
//
// Loops of at most 64 iterations whose bodies come to at most 800 instructions
// in all; without side effects. Counters become numbers that constant_folding
// then knows.
#ifndef HLOKIT_PASSES_CONTROL_WHILE_LOOP_UNROLLER_H_
#define HLOKIT_PASSES_CONTROL_WHILE_LOOP_UNROLLER_H_

#include "passes/pass.h"

namespace hlokit {

class WhileLoopUnroller : public Pass {
 public:
  absl::string_view name() const override { return "while_loop_unroller"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_WHILE_LOOP_UNROLLER_H_
