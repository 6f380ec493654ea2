#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/verify/infer_rules.h"
#include "hlo/verify/verify_rules.h"

namespace hlokit::verify {
namespace {

constexpr absl::string_view kReplicaGroupsRule = "replica groups";

// What the ids in replica groups are and who takes part; follows from
// channel_id and use_global_device_ids.
enum class GroupMode {
  kCrossReplica,
  kCrossPartition,
  kCrossReplicaAndPartition,
  kFlattenedId,
};

GroupMode ModeOf(const Instruction& i) {
  if (!i.attrs().Has(AttrId::kChannelId)) return GroupMode::kCrossReplica;
  if (!InfoOf(i.opcode()).Takes(AttrId::kUseGlobalDeviceIds)) {
    return GroupMode::kCrossPartition;
  }
  return i.attrs().GetBool(AttrId::kUseGlobalDeviceIds)
             ? GroupMode::kFlattenedId
             : GroupMode::kCrossReplicaAndPartition;
}

// Replicas, partitions or devices by mode; 1 also where a module does not say.
int64_t Population(const Module& module, GroupMode mode) {
  int64_t replicas = std::max<int64_t>(module.replica_count, 1);
  int64_t partitions = std::max<int64_t>(module.num_partitions, 1);
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return replicas;
    case GroupMode::kCrossPartition:
      return partitions;
    case GroupMode::kFlattenedId:
      break;
  }
  int64_t devices = 0;
  return infer::MultiplyOverflows(replicas, partitions, &devices) ? 1
                                                                  : devices;
}

const ReplicaGroups* GroupsOf(const Instruction& i) {
  const ReplicaGroups* groups =
      i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  return groups == nullptr || groups->empty() ? nullptr : groups;
}

std::optional<int64_t> Product(absl::Span<const int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor <= 0 ||
        infer::MultiplyOverflows(product, factor, &product)) {
      return std::nullopt;
    }
  }
  return product;
}

// [groups,size]<=[dims]T(perm): names every id once if the products agree.
// Nothing is spelled out, so the numbers may be as large as they like.
std::optional<int64_t> CheckIota(const Instruction& i, const ReplicaGroups& g,
                                 Checker& checker) {
  std::optional<int64_t> tiles = Product({g.group_count, g.group_size});
  std::optional<int64_t> ids = Product(g.reshape_dims);
  bool permuted = g.transpose_perm.empty() ||
                  (g.transpose_perm.size() == g.reshape_dims.size() &&
                   infer::CheckDimensionList("", g.transpose_perm,
                                             g.reshape_dims.size())
                       .ok());
  if (tiles.has_value() && tiles == ids && permuted) return tiles;
  checker.Reportf(&i, kReplicaGroupsRule, "%s does not name every device once",
                  g.ToString());
  return std::nullopt;
}

std::optional<int64_t> CheckList(const Instruction& i,
                                 const Int64ListList& groups,
                                 Checker& checker) {
  int64_t count = 0;
  for (const Int64List& group : groups) {
    if (group.empty()) {
      checker.Report(&i, kReplicaGroupsRule, "a group is empty");
      return std::nullopt;
    }
    count += group.size();
  }
  std::vector<bool> seen(count, false);
  for (const Int64List& group : groups) {
    for (int64_t id : group) {
      if (id < 0 || id >= count) {
        checker.Reportf(&i, kReplicaGroupsRule,
                        "id %d is outside of 0 to %d, which %d ids must name",
                        id, count - 1, count);
        return std::nullopt;
      }
      if (seen[id]) {
        checker.Reportf(&i, kReplicaGroupsRule, "id %d is repeated", id);
        return std::nullopt;
      }
      seen[id] = true;
    }
  }
  // Members of an all-reduce do not care how many they are.
  if (i.opcode() == Opcode::kAllReduce ||
      i.opcode() == Opcode::kAllReduceStart) {
    return count;
  }
  for (const Int64List& group : groups) {
    if (group.size() == groups[0].size()) continue;
    checker.Reportf(&i, kReplicaGroupsRule, "groups differ in size: %d and %d",
                    static_cast<int64_t>(groups[0].size()),
                    static_cast<int64_t>(group.size()));
    return std::nullopt;
  }
  return count;
}

// How many ids the groups name; nothing after a finding.
std::optional<int64_t> CheckForm(const Instruction& i, const ReplicaGroups& g,
                                 Checker& checker) {
  switch (g.form) {
    case ReplicaGroups::kIota:
      return CheckIota(i, g, checker);
    case ReplicaGroups::kList:
      return CheckList(i, g.groups, checker);
    case ReplicaGroups::kMesh:
      break;
  }
  absl::StatusOr<Int64ListList> groups = g.Expand();
  if (groups.ok()) return CheckList(i, *groups, checker);
  checker.Report(&i, kReplicaGroupsRule, std::string(groups.status().message()));
  return std::nullopt;
}

// Members of a group, 0 when unknown.
int64_t GroupSize(const Instruction& i) {
  const Module& module = *i.module();
  GroupMode mode = ModeOf(i);
  const ReplicaGroups* g = GroupsOf(i);
  int64_t size = Population(module, mode);
  if (g != nullptr) {
    if (g->form == ReplicaGroups::kList) {
      size = g->groups[0].size();
    } else if (g->form == ReplicaGroups::kIota) {
      size = g->group_size;
    } else {
      absl::StatusOr<Int64ListList> groups = g->Expand();
      if (!groups.ok() || groups->empty()) return 0;
      size = groups->front().size();
    }
  }
  if (mode != GroupMode::kCrossReplicaAndPartition) return size;
  int64_t all = 0;
  return infer::MultiplyOverflows(
             size, std::max<int64_t>(module.num_partitions, 1), &all)
             ? 0
             : all;
}

// The first result array, next to operand 0.
const Shape* FirstResult(const Instruction& i) {
  const Shape* shape = &i.shape();
  if (i.opcode() == Opcode::kAllGatherStart) {
    if (shape->tuple_shapes().size() < 2) return nullptr;
    shape = &shape->tuple_shape(1);
  }
  if (shape->IsTuple()) {
    if (shape->tuple_shapes().empty()) return nullptr;
    shape = &shape->tuple_shape(0);
  }
  return shape->IsArray() ? shape : nullptr;
}

void CheckAllToAllSize(const Instruction& i, int64_t size, Checker& checker) {
  if (!i.attrs().Has(AttrId::kDimensions)) {
    if (i.operand_count() == size) return;
    checker.Reportf(&i, "collective",
                    "expected one operand for each of the %d members of a "
                    "group, found %d",
                    size, i.operand_count());
    return;
  }
  absl::Span<const int64_t> dims = i.dimensions();
  if (i.operand_count() == 0) return;
  const Shape& operand = i.operand(0)->shape();
  if (dims.size() != 1 || dims[0] < 0 || dims[0] >= operand.rank()) return;
  int64_t length = operand.dimension(dims[0]);
  if (length == kUnboundedSize || length % size == 0) return;
  checker.Reportf(&i, "collective",
                  "dimension %d of %s must be a multiple of the group size %d",
                  dims[0], infer::TypeText(operand), size);
}

// Whether an offset of an in-place permute fits: a tuple of one scalar for each
// dimension of the buffer, or a tuple of such tuples.
bool OffsetFits(const Shape& buffer, const Shape& offset) {
  if (!offset.IsTuple() || offset.tuple_shapes().empty()) return false;
  const Shape& first = offset.tuple_shape(0);
  for (const Shape& element : offset.tuple_shapes()) {
    if (element.IsTuple() != first.IsTuple()) return false;
    if (element.IsTuple() ? !OffsetFits(buffer, element)
                          : !element.IsScalar()) {
      return false;
    }
  }
  return first.IsTuple() || static_cast<int64_t>(
                                offset.tuple_shapes().size()) == buffer.rank();
}

void CheckInPlaceOffsets(const Instruction& i, Checker& checker) {
  for (int64_t n = 0; n < 2; ++n) {
    const Shape& buffer = i.operand(n)->shape();
    const Shape& offset = i.operand(n + 2)->shape();
    bool fits = true;
    if (buffer.IsTuple()) {
      fits = offset.IsTuple() &&
             offset.tuple_shapes().size() == buffer.tuple_shapes().size();
      for (size_t e = 0; fits && e < buffer.tuple_shapes().size(); ++e) {
        fits = OffsetFits(buffer.tuple_shape(e), offset.tuple_shape(e));
      }
    } else {
      fits = OffsetFits(buffer, offset);
    }
    if (fits) continue;
    checker.Reportf(&i, "collective",
                    "offsets %s do not address the buffer %s",
                    infer::TypeText(offset), infer::TypeText(buffer));
  }
}

}  // namespace

void CheckReplicaGroups(const Instruction& i, Checker& checker) {
  if (!checker.options().check_replica_groups) return;
  if (!InfoOf(i.opcode()).Takes(AttrId::kReplicaGroups)) return;
  GroupMode mode = ModeOf(i);
  const ReplicaGroups* g = GroupsOf(i);
  if (g == nullptr) {
    if (mode == GroupMode::kFlattenedId) {
      checker.Report(&i, kReplicaGroupsRule,
                     "with use_global_device_ids groups must be given");
    }
    return;
  }
  std::optional<int64_t> count = CheckForm(i, *g, checker);
  if (!count.has_value()) return;
  int64_t population = Population(checker.module(), mode);
  if (population == 1 || *count == population) return;
  checker.Reportf(&i, kReplicaGroupsRule, "the groups name %d ids, expected %d", *count,
                  population);
}

void CheckGroupSize(const Instruction& i, Checker& checker) {
  int64_t size = GroupSize(i);
  // 1 is also what modules say whose counts are not set.
  if (size <= 1) return;
  if (i.opcode() == Opcode::kAllToAll) {
    CheckAllToAllSize(i, size, checker);
    return;
  }
  absl::Span<const int64_t> dims = i.dimensions();
  const Shape* result = FirstResult(i);
  if (dims.size() != 1 || result == nullptr || i.operand_count() == 0) return;
  int64_t d = dims[0];
  const Shape& operand = i.operand(0)->shape();
  if (d < 0 || d >= operand.rank() || d >= result->rank()) return;
  int64_t small = operand.dimension(d), large = result->dimension(d);
  if (i.opcode() == Opcode::kReduceScatter) std::swap(small, large);
  if (small == kUnboundedSize || large == kUnboundedSize) return;
  int64_t wanted = 0;
  if (!infer::MultiplyOverflows(small, size, &wanted) && wanted == large) {
    return;
  }
  checker.Reportf(&i, "collective",
                  "dimension %d goes from %d to %d, expected a factor of the "
                  "group size %d",
                  d, operand.dimension(d), result->dimension(d), size);
}

void CheckPermute(const Instruction& i, Checker& checker) {
  int64_t limit = Population(checker.module(), ModeOf(i));
  int64_t allowed = 1;
  if (i.operand_count() == 4 && i.attrs().Has(AttrId::kPermuteSliceSizes)) {
    CheckInPlaceOffsets(i, checker);
    allowed = std::max<int64_t>(
        1, i.attrs().Get<Int64ListList>(AttrId::kPermuteSliceSizes)
               ? i.attrs()
                     .Get<Int64ListList>(AttrId::kPermuteSliceSizes)
                     ->size()
               : 1);
  }
  const PairList* pairs = i.attrs().Get<PairList>(AttrId::kSourceTargetPairs);
  if (pairs == nullptr) return;
  absl::flat_hash_map<int64_t, int64_t> sources, targets;
  for (const auto& [source, target] : *pairs) {
    for (int64_t id : {source, target}) {
      if (id >= 0 && (limit == 1 || id < limit)) continue;
      checker.Reportf(&i, "collective",
                      "source_target_pairs: id %d is outside of 0 to %d", id,
                      limit - 1);
      return;
    }
    if (++sources[source] > allowed) {
      checker.Reportf(&i, "collective",
                      "source_target_pairs: source %d is repeated", source);
      return;
    }
    if (++targets[target] > allowed) {
      checker.Reportf(&i, "collective",
                      "source_target_pairs: target %d is repeated", target);
      return;
    }
  }
}

void CheckCollectiveReducer(const Instruction& i, Checker& checker) {
  const Computation& reducer = *i.to_apply();
  const Shape& result = reducer.root()->shape();
  bool fits = reducer.parameter_count() == 2 && result.IsScalar();
  for (int64_t n = 0; fits && n < 2; ++n) {
    fits = infer::ShapesAgree(reducer.parameter(n)->shape(), result);
  }
  if (fits) return;
  checker.Reportf(&i, "collective",
                  "%s must take two scalars and give one of the same type",
                  reducer.name());
}

void CheckConstrainLayout(Checker& checker) {
  const Instruction* first = nullptr;
  for (const auto& computation : checker.module().computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kAllReduce &&
          i->opcode() != Opcode::kAllReduceStart) {
        continue;
      }
      if (first == nullptr) first = i;
      if (i->attrs().GetBool(AttrId::kConstrainLayout) ==
          first->attrs().GetBool(AttrId::kConstrainLayout)) {
        continue;
      }
      checker.Reportf(i, "collective",
                      "all all-reduces must agree on constrain_layout, %%%s "
                      "differs",
                      first->name());
      return;
    }
  }
}

}  // namespace hlokit::verify
