#include "passes/expand/gather_expander.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "passes/expand/index_windows.h"

namespace hlokit {
namespace {

// Every slice is the whole operand, whatever the indices say.
bool TakesAll(const Instruction& i) {
  return i.operand(0)->shape().dimensions() ==
         i.attrs().GetList(AttrId::kSliceSizes);
}

}  // namespace

bool GatherExpander::Matches(const Instruction& i) const {
  if (i.opcode() != Opcode::kGather || !IsStatic(i)) return false;
  // Nothing to take, and perhaps nothing to take it from.
  if (ElementsIn(i.shape()) == 0) return mode_ == kAll;
  return mode_ == kAll || TakesAll(i) ||
         IndexWindows::OfGather(i).count() == 1;
}

absl::StatusOr<Instruction*> GatherExpander::Expand(Instruction* i,
                                                    Emitter& e) {
  Instruction* operand = i->operand(0);
  const PrimitiveType type = operand->shape().element_type();
  const Dims output = i->shape().dimensions();
  if (ElementsIn(i->shape()) == 0) return e.Full(type, output, 0);
  const IndexWindows windows = IndexWindows::OfGather(*i);
  const AttributeSet& attrs = i->attrs();
  const Dims sizes = attrs.GetList(AttrId::kSliceSizes);
  const Dims offsets = attrs.GetList(AttrId::kOffsetDims);

  // The sizes of a slice that the output has, where they stand there.
  std::vector<int64_t> kept, order;
  for (int64_t d = 0; d < operand->shape().rank(); ++d) {
    if (absl::c_linear_search(attrs.GetList(AttrId::kCollapsedSliceDims), d) ||
        absl::c_linear_search(windows.operand_batching, d)) {
      continue;
    }
    kept.push_back(sizes[d]);
  }
  if (TakesAll(*i)) {
    return e.Broadcast(e.Reshape(operand, kept), offsets, output);
  }
  Instruction* table = windows.Table(i->operand(1), e);
  const int64_t count = windows.count();
  std::vector<int64_t> whole = {count};
  whole.insert(whole.end(), kept.begin(), kept.end());
  std::vector<int64_t> one = whole;
  one[0] = 1;
  Instruction* slices = nullptr;
  if (count == 1) {
    slices = e.Reshape(
        e.DynamicSlice(operand,
                       windows.StartsAt(table, e.ScalarInt(kS32, 0), e),
                       sizes),
        one);
  } else {
    slices = e.For("gather", count, {operand, table, e.Full(type, whole, 0)},
                   [&](Emitter& b, Instruction* n, const Values& s) -> Values {
                     Instruction* slice = b.Reshape(
                         b.DynamicSlice(s[0], windows.StartsAt(s[1], n, b),
                                        sizes),
                         one);
                     return {s[0], s[1],
                             b.DynamicUpdateAlong(s[2], slice, 0, n)};
                   })[2];
  }
  // [batch..., slice...], then each dimension to its place.
  std::vector<int64_t> split = windows.batch_sizes;
  split.insert(split.end(), kept.begin(), kept.end());
  int64_t batch = 0, offset = 0;
  for (size_t d = 0; d < output.size(); ++d) {
    order.push_back(absl::c_linear_search(offsets, d)
                        ? static_cast<int64_t>(windows.batch_sizes.size()) +
                              offset++
                        : batch++);
  }
  return e.Transpose(e.Reshape(slices, split), order);
}

}  // namespace hlokit
