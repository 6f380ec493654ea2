#include "passes/expand/all_to_all_decomposer.h"

#include "hlo/ir/replica_groups.h"

namespace hlokit {
namespace {

// How many devices exchange pieces with one another; 0 when that is not known.
int64_t ExchangingDevices(const Instruction& i) {
  const auto* groups = i.attrs().Get<ReplicaGroups>(AttrId::kReplicaGroups);
  if (groups == nullptr || groups->empty()) {
    return i.attrs().Has(AttrId::kChannelId) ? i.module()->num_partitions
                                             : i.module()->replica_count;
  }
  const auto lists = groups->Expand();
  return lists.ok() && !lists->empty() ? (*lists)[0].size() : 0;
}

}  // namespace

bool AllToAllDecomposer::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kAllToAll || !i.shape().IsArray() ||
      i.operand_count() != 1 || i.dimensions().size() != 1 || !IsStatic(i)) {
    return false;
  }
  const int64_t pieces = ExchangingDevices(i);
  return pieces > 0 && i.shape().dimension(i.dimension(0)) % pieces == 0;
}

absl::StatusOr<Instruction*> AllToAllDecomposer::Expand(Instruction* i,
                                                        Emitter& e) {
  const int64_t pieces = ExchangingDevices(*i);
  const int64_t dimension = i->dimension(0);
  const int64_t size = i->shape().dimension(dimension) / pieces;
  Values slices;
  std::vector<Shape> shapes;
  for (int64_t k = 0; k < pieces; ++k) {
    slices.push_back(e.SliceInDim(i->operand(0), dimension, k * size,
                                  (k + 1) * size));
    shapes.push_back(slices.back()->shape());
  }
  AttributeSet attrs = i->attrs();
  attrs.Erase(AttrId::kDimensions);
  Instruction* all = e.OpOfShape(
      Opcode::kAllToAll, Shape::Tuple(std::move(shapes)), slices, attrs);
  return e.Concatenate(e.Elements(all), dimension);
}

}  // namespace hlokit
