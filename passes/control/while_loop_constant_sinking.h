// while-loop-constant-sinking: puts constants of the initial state into the
// loop.
//
// An element that starts as a constant (or, for the body, a spread scalar
// constant) and that no iteration changes is replaced by that constant where
// body and condition use it, so that other passes see it. The element itself
// stays; simplify-while-loops takes it away.
#ifndef HLOKIT_PASSES_CONTROL_WHILE_LOOP_CONSTANT_SINKING_H_
#define HLOKIT_PASSES_CONTROL_WHILE_LOOP_CONSTANT_SINKING_H_

#include "passes/pass.h"

namespace hlokit {

class WhileLoopConstantSinking : public Pass {
 public:
  absl::string_view name() const override {
    return "while-loop-constant-sinking";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_WHILE_LOOP_CONSTANT_SINKING_H_
