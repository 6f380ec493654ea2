#include "passes/backend/hlo_trivial_scheduler.h"

#include <utility>

namespace hlokit {

absl::StatusOr<bool> HloTrivialScheduler::Run(Module* module) {
  if (module->is_scheduled()) return false;
  Schedule schedule;
  for (const auto& computation : module->computations()) {
    if (!computation->IsFusionComputation()) {
      schedule[computation.get()] = computation->PostOrder();
    }
  }
  module->schedule = std::move(schedule);
  return true;
}

}  // namespace hlokit
