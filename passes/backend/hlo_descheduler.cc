#include "passes/backend/hlo_descheduler.h"

namespace hlokit {

absl::StatusOr<bool> HloDescheduler::Run(Module* module) {
  const bool changed = module->is_scheduled();
  module->schedule.reset();
  return changed;
}

}  // namespace hlokit
