#include "passes/collectives/all_reduce_simplifier.h"

#include "hlo/ir/replica_groups.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool EveryDeviceAlone(const Instruction& i) {
  const auto* groups = i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if (groups == nullptr || groups->empty()) return false;
  const auto lists = groups->Expand();
  if (!lists.ok()) return false;
  for (const Int64List& list : *lists) {
    if (list.size() != 1) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> AllReduceSimplifier::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() != Opcode::kAllReduce || !EveryDeviceAlone(*i)) continue;
      Builder b(i);
      ReplaceInstruction(i, i->shape().IsTuple() ? b.Tuple(i->operands())
                                                 : i->operand(0));
      changed = true;
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
