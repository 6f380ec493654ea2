// hlo-memory-scheduler: puts the instructions of each computation into the order
// that needs the least memory at once.
//
// Three orders are tried: a list schedule (of what is ready, first what frees
// most), a depth-first one (operands with the larger trees first) and the print
// order; the one with the smallest peak is taken. Parameters and constants come
// first: they are there anyway. A schedule that is there already is replaced.
#ifndef HLOKIT_PASSES_BACKEND_HLO_MEMORY_SCHEDULER_H_
#define HLOKIT_PASSES_BACKEND_HLO_MEMORY_SCHEDULER_H_

#include "passes/pass.h"

namespace hlokit {

class HloMemoryScheduler : public Pass {
 public:
  absl::string_view name() const override { return "hlo-memory-scheduler"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_HLO_MEMORY_SCHEDULER_H_
