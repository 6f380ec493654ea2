#include "passes/control/conditional_to_select.h"

#include "absl/algorithm/container.h"
#include "passes/analysis/call_graph.h"
#include "passes/control/conditional_util.h"

namespace hlokit {
namespace {

bool IsEmbedded(const Computation& computation) {
  return absl::c_any_of(computation.callers(), [](const Instruction* caller) {
    return ContextOf(caller->opcode()) == CallContext::kEmbedded;
  });
}

}  // namespace

absl::StatusOr<bool> ConditionalToSelect::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!IsEmbedded(*computation)) continue;
    for (Instruction* conditional : ConditionalsOf(*computation)) {
      if (!absl::c_all_of(conditional->called_computations(),
                          [](const Computation* branch) {
                            return MayExecuteAnyway(*branch);
                          })) {
        continue;
      }
      ReplaceBySelect(conditional);
      changed = true;
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
