#include "passes/simplify/sharding_remover.h"

#include <algorithm>
#include <iterator>

#include "passes/builders.h"

namespace hlokit {
namespace {

constexpr absl::string_view kTargets[] = {
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.PropagationBarrier",
    "xla.sdy.ShardingGroup",
};

bool IsShardingCall(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall && i.operand_count() == 1 &&
         std::find(std::begin(kTargets), std::end(kTargets),
                   i.custom_call_target()) != std::end(kTargets) &&
         i.shape() == i.operand(0)->shape() &&
         (!i.users().empty() || i.IsRoot());
}

}  // namespace

absl::StatusOr<bool> ShardingRemover::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsShardingCall(*i)) continue;
      ReplaceInstruction(i, i->operand(0));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
