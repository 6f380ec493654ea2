// small-while-loop-hoisting: a loop that reads and writes less than 1 KiB in all
// becomes a call of a computation that holds it, marked xla_cpu_small_call, which
// a backend may compile as one kernel instead of running each instruction of
// each iteration by itself.
//
// Loops with custom calls, collectives or other effects in them stay.
#ifndef HLOKIT_PASSES_BACKEND_SMALL_WHILE_LOOP_HOISTING_H_
#define HLOKIT_PASSES_BACKEND_SMALL_WHILE_LOOP_HOISTING_H_

#include "passes/pass.h"

namespace hlokit {

class SmallWhileLoopHoisting : public Pass {
 public:
  absl::string_view name() const override { return "small-while-loop-hoisting"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_SMALL_WHILE_LOOP_HOISTING_H_
