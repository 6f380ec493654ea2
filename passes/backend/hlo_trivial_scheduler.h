// hlo-trivial-scheduler: schedules every computation in its print order.
//
// What is inside fusions has no schedule. A module that is scheduled already
// stays.
#ifndef HLOKIT_PASSES_BACKEND_HLO_TRIVIAL_SCHEDULER_H_
#define HLOKIT_PASSES_BACKEND_HLO_TRIVIAL_SCHEDULER_H_

#include "passes/pass.h"

namespace hlokit {

class HloTrivialScheduler : public Pass {
 public:
  absl::string_view name() const override { return "hlo-trivial-scheduler"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_HLO_TRIVIAL_SCHEDULER_H_
