// simplify-while-loops: fewer loops, smaller states.
//
//   * a loop that never runs is its initial state; one that runs once is its
//     body
//   * elements that nobody needs leave the state
//   * outside, an element that no iteration changes is its initial value
//   * in the body, a comparison of the counter with a constant that holds (or
//     fails) in every iteration is that constant
// Loops in which something has side effects or control dependencies are not
// removed.
#ifndef HLOKIT_PASSES_CONTROL_SIMPLIFY_WHILE_LOOPS_H_
#define HLOKIT_PASSES_CONTROL_SIMPLIFY_WHILE_LOOPS_H_

#include "passes/pass.h"

namespace hlokit {

class SimplifyWhileLoops : public Pass {
 public:
  absl::string_view name() const override { return "simplify-while-loops"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_SIMPLIFY_WHILE_LOOPS_H_
