#include "passes/collectives/async_collective_replacer.h"

#include "passes/collectives/async_pair.h"
#include "passes/schedule_repair.h"

namespace hlokit {

absl::StatusOr<bool> AsyncCollectiveReplacer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* done : computation->PostOrder()) {
      Instruction* start = StartOfCollective(*done);
      if (start == nullptr) continue;
      MakeSynchronous(start, done);
      changed = true;
    }
  }
  if (changed) {
    module->RemoveUnreachableComputations();
    RepairSchedule(module);
  }
  return changed;
}

}  // namespace hlokit
