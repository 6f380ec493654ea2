#include "passes/control/while_loop_trip_count_annotator.h"

#include <string>

#include "absl/strings/str_format.h"
#include "passes/analysis/loop_trip_count.h"
#include "passes/control/while_util.h"

namespace hlokit {

absl::StatusOr<bool> WhileLoopTripCountAnnotator::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* loop : LoopsOf(*computation)) {
      // A configuration of somebody else's is not ours to change.
      if (!loop->backend_config().empty()) continue;
      const auto counted = FindCountedLoop(*loop);
      if (!counted.has_value()) continue;
      loop->mutable_attrs().Set(
          AttrId::kBackendConfig,
          absl::StrFormat(
              "{\"known_trip_count\":{\"n\":\"%d\"},"
              "\"known_init_step\":{\"init\":\"%d\",\"step\":\"%d\"},"
              "\"known_induction_variable\":{\"tuple_index\":\"%d\"},"
              "\"dynamic_variables\":[]}",
              counted->trip_count, counted->init, counted->step,
              counted->index));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
