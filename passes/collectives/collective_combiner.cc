#include "passes/collectives/collective_combiner.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/ir/replica_groups.h"
#include "passes/builders.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

// What combined collectives have in common; "" for those that stay alone.
std::string CombinerKey(const Instruction& i, Opcode opcode) {
  if (i.opcode() != opcode || i.operand_count() != 1 || !i.shape().IsArray() ||
      i.shape().is_dynamic() || i.sharding() != nullptr ||
      HasControlDependencies(i)) {
    return "";
  }
  std::string key = absl::StrCat(
      absl::StrJoin(i.dimensions(), ","), ";",
      i.attrs().Has(AttrId::kChannelId), ",",
      i.attrs().GetBool(AttrId::kUseGlobalDeviceIds), ",",
      i.attrs().GetBool(AttrId::kConstrainLayout), ",");
  const auto* groups = i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if (groups != nullptr) absl::StrAppend(&key, groups->ToString());
  if (i.called_computations().empty()) return key;
  const Opcode operation = CommutativeReducer(*i.to_apply());
  if (operation == Opcode::kParameter) return "";
  absl::StrAppend(&key, ",", static_cast<int>(operation), ",",
                  static_cast<int>(i.shape().element_type()), ",",
                  static_cast<int>(
                      i.to_apply()->root()->shape().element_type()));
  return key;
}

struct CombinerLimits {
  Opcode opcode;
  int64_t bytes, count;
};

// The next group to combine: the first collective whose key is not done and
// what goes with it. What depends on a member is not taken; in post order
// nothing that follows is needed by one.
std::vector<Instruction*> NextGroup(
    const Computation& computation, const CombinerLimits& limits,
    const absl::flat_hash_map<const Instruction*, std::string>& keys,
    const absl::flat_hash_set<const Instruction*>& done) {
  std::vector<Instruction*> group;
  std::vector<bool> depends(computation.id_limit());
  absl::string_view key;
  int64_t bytes = 0;
  for (Instruction* i : computation.PostOrder()) {
    bool needs = false;
    for (const Instruction* operand : i->operands()) {
      needs = needs || depends[operand->id()];
    }
    for (const Instruction* p : i->control_predecessors()) {
      needs = needs || depends[p->id()];
    }
    depends[i->id()] = needs;
    const auto found = keys.find(i);
    if (needs || found == keys.end() || done.contains(i)) continue;
    if (!group.empty() && found->second != key) continue;
    const int64_t size = ByteSizeOf(i->shape());
    if (size > limits.bytes - bytes ||
        static_cast<int64_t>(group.size()) >= limits.count) {
      continue;
    }
    key = found->second;
    bytes += size;
    group.push_back(i);
    depends[i->id()] = true;
  }
  return group;
}

void CombineGroup(const std::vector<Instruction*>& group) {
  Instruction* first = group[0];
  std::vector<Instruction*> operands;
  std::vector<Shape> shapes;
  for (Instruction* i : group) {
    operands.push_back(i->operand(0));
    shapes.push_back(i->shape());
  }
  Builder b(first);
  Instruction* combined =
      b.OpOfShape(first->opcode(), Shape::Tuple(std::move(shapes)), operands,
                  first->attrs(), first->called_computations());
  for (size_t k = 0; k < group.size(); ++k) {
    b.set_metadata(group[k]->shared_metadata());
    ReplaceInstruction(group[k], b.Element(combined, k));
  }
}

bool CombineIn(Computation* computation, const CombinerLimits& limits) {
  absl::flat_hash_map<const Instruction*, std::string> keys;
  absl::flat_hash_map<std::string, int64_t> counts;
  for (const Instruction* i : computation->instructions()) {
    std::string key = CombinerKey(*i, limits.opcode);
    if (key.empty() || ByteSizeOf(i->shape()) > limits.bytes) continue;
    ++counts[key];
    keys[i] = std::move(key);
  }
  absl::erase_if(keys, [&](const auto& k) { return counts[k.second] < 2; });
  bool changed = false;
  absl::flat_hash_set<const Instruction*> done;
  while (done.size() < keys.size()) {
    const std::vector<Instruction*> group =
        NextGroup(*computation, limits, keys, done);
    if (group.empty()) break;
    done.insert(group.begin(), group.end());
    if (group.size() < 2) continue;
    CombineGroup(group);
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> CollectiveCombiner::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    changed |= CombineIn(computation, {opcode_, max_bytes_, max_count_});
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
