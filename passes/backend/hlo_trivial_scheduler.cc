#include "passes/backend/hlo_trivial_scheduler.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/analysis/call_graph.h"

namespace hlokit {
namespace {

// Computations that run as a whole: the entry and what is called sequentially.
bool IsScheduled(const Computation& computation) {
  return computation.IsEntry() ||
         absl::c_any_of(computation.callers(), [](const Instruction* caller) {
           return ContextOf(caller->opcode()) == CallContext::kSequential;
         });
}

}  // namespace

absl::StatusOr<bool> HloTrivialScheduler::Run(Module* module) {
  if (module->is_scheduled()) return false;
  Schedule schedule;
  for (const auto& computation : module->computations()) {
    if (IsScheduled(*computation)) {
      schedule[computation.get()] = computation->PostOrder();
    }
  }
  module->schedule = std::move(schedule);
  return true;
}

}  // namespace hlokit
