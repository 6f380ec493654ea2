#include "passes/collectives/convert_async_collectives_to_sync.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/collectives/async_pair.h"
#include "passes/schedule_repair.h"

namespace hlokit {
namespace {

bool TakesNoTime(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

using AsyncPairs = std::vector<std::pair<Instruction*, Instruction*>>;

// Starts and dones with no work between them. Other collectives may start and
// end there: what remains is one synchronous collective after the other.
AsyncPairs IdlePairs(const std::vector<Instruction*>& sequence) {
  AsyncPairs pairs;
  absl::flat_hash_map<const Instruction*, int64_t> work_before;
  int64_t work = 0;
  for (Instruction* i : sequence) {
    Instruction* start = StartOfCollective(*i);
    if (start != nullptr) {
      // A done that waits for its start alone; another's end is work.
      if (work_before[start] == work) {
        pairs.emplace_back(start, i);
      } else {
        ++work;
      }
      continue;
    }
    work_before[i] = work;
    const bool starts = i->user_count() == 1 &&
                        StartOfCollective(*i->users()[0]) == i;
    if (!TakesNoTime(*i) && !starts) ++work;
    if (starts) work_before[i] = work;
  }
  return pairs;
}

}  // namespace

absl::StatusOr<bool> ConvertAsyncCollectivesToSync::Run(Module* module) {
  if (!module->is_scheduled()) return false;
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    const auto sequence = module->schedule->find(computation);
    if (sequence == module->schedule->end()) continue;
    for (const auto& [start, done] : IdlePairs(sequence->second)) {
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
