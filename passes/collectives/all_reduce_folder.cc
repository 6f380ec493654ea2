#include "passes/collectives/all_reduce_folder.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hlo/ir/replica_groups.h"
#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

using DeviceSet = std::set<int64_t>;

std::optional<Int64ListList> GroupsOfReduce(const Instruction& i) {
  const auto* groups = i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if (groups == nullptr || groups->empty()) return std::nullopt;
  auto lists = groups->Expand();
  if (!lists.ok()) return std::nullopt;
  return *std::move(lists);
}

// The groups of one all-reduce that does what `inner` and then `outer` do.
std::optional<Int64ListList> FoldedGroups(const Int64ListList& inner,
                                          const Int64ListList& outer) {
  std::map<int64_t, size_t> inner_of;
  for (size_t k = 0; k < inner.size(); ++k) {
    for (int64_t device : inner[k]) inner_of[device] = k;
  }
  // What each device gets the sum of.
  std::map<int64_t, DeviceSet> summed;
  for (const Int64List& group : outer) {
    DeviceSet all, used;
    for (int64_t device : group) {
      const auto k = inner_of.find(device);
      // Twice the same group would count its values twice.
      if (k == inner_of.end() || !used.insert(k->second).second) {
        return std::nullopt;
      }
      all.insert(inner[k->second].begin(), inner[k->second].end());
    }
    for (int64_t device : group) summed[device] = all;
  }
  std::set<DeviceSet> folded;
  for (const auto& [device, all] : summed) {
    for (int64_t other : all) {
      const auto theirs = summed.find(other);
      if (theirs == summed.end() || theirs->second != all) return std::nullopt;
    }
    folded.insert(all);
  }
  Int64ListList result;
  for (const DeviceSet& all : folded) {
    result.emplace_back(all.begin(), all.end());
  }
  return result;
}

bool SameKindOfReduce(const Instruction& a, const Instruction& b) {
  return a.attrs().Has(AttrId::kChannelId) ==
             b.attrs().Has(AttrId::kChannelId) &&
         a.attrs().GetBool(AttrId::kUseGlobalDeviceIds) ==
             b.attrs().GetBool(AttrId::kUseGlobalDeviceIds) &&
         a.shape() == b.shape() && a.operand_count() == 1 &&
         b.operand_count() == 1 &&
         CommutativeReducer(*a.to_apply()) != Opcode::kParameter &&
         CommutativeReducer(*a.to_apply()) == CommutativeReducer(*b.to_apply());
}

bool FoldReduce(Instruction* outer) {
  if (outer->opcode() != Opcode::kAllReduce) return false;
  Instruction* inner = outer->operand(0);
  if (inner->opcode() != Opcode::kAllReduce || !HasOneUser(inner) ||
      inner->IsRoot() || HasControlDependencies(*inner) ||
      !SameKindOfReduce(*outer, *inner)) {
    return false;
  }
  const auto first = GroupsOfReduce(*inner), second = GroupsOfReduce(*outer);
  if (!first.has_value() || !second.has_value()) return false;
  auto groups = FoldedGroups(*first, *second);
  if (!groups.has_value()) return false;
  ReplicaGroups folded;
  folded.groups = *std::move(groups);
  outer->mutable_attrs().SetShared(AttrId::kReplicaGroups, std::move(folded));
  outer->ReplaceOperand(0, inner->operand(0));
  outer->parent()->Remove(inner);
  return true;
}

}  // namespace

absl::StatusOr<bool> AllReduceFolder::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      // Inner ones come first and are never looked at again.
      changed |= FoldReduce(i);
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
