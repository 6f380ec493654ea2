#include "backends/cpu/emit/indexing.h"

#include <utility>

namespace hlokit::cpu {

DimensionVector MajorToMinor(const Shape& shape) {
  DimensionVector order(shape.rank());
  if (shape.has_layout()) {
    const DimensionVector& minor = shape.layout().minor_to_major;
    order.assign(minor.rbegin(), minor.rend());
  } else {
    for (int64_t i = 0; i < shape.rank(); ++i) order[i] = i;
  }
  return order;
}

DimensionVector Strides(const Shape& shape) {
  DimensionVector strides(shape.rank());
  const DimensionVector order = MajorToMinor(shape);
  int64_t stride = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    strides[*it] = stride;
    stride *= shape.dimension(*it);
  }
  return strides;
}

IrValue LinearIndex(IrFunction& f, const Shape& shape,
                    absl::Span<const IrValue> index) {
  const DimensionVector strides = Strides(shape);
  IrValue linear = f.Const(0);
  for (int64_t d : MajorToMinor(shape)) {
    linear = f.Add(linear, f.Mul(index[d], f.Const(strides[d])));
  }
  return linear;
}

std::vector<DimensionGroup> CommonGroups(absl::Span<const int64_t> from,
                                         absl::Span<const int64_t> to) {
  std::vector<DimensionGroup> groups;
  const int64_t from_rank = from.size(), to_rank = to.size();
  int64_t i = 0, j = 0;
  while (i < from_rank || j < to_rank) {
    DimensionGroup group{i, i, j, j};
    int64_t left = i < from_rank ? from[i++] : 1;
    int64_t right = j < to_rank ? to[j++] : 1;
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
    group.from_end = i, group.to_end = j;
    groups.push_back(group);
  }
  return groups;
}

Index ReshapeIndex(IrFunction& f, absl::Span<const int64_t> from,
                   absl::Span<const int64_t> to,
                   absl::Span<const IrValue> index) {
  Index result(to.size(), f.Const(0));
  for (const DimensionGroup& g : CommonGroups(from, to)) {
    IrValue linear = f.Const(0);
    for (int64_t d = g.from_begin; d < g.from_end; ++d) {
      linear = f.Add(f.Mul(linear, f.Const(from[d])), index[d]);
    }
    // The first dimension that is not 1 needs no remainder.
    int64_t first = g.to_begin;
    while (first < g.to_end && to[first] == 1) ++first;
    for (int64_t d = g.to_end - 1; d > first; --d) {
      if (to[d] == 1) continue;
      result[d] = f.Rem(linear, f.Const(to[d]));
      linear = f.Div(linear, f.Const(to[d]));
    }
    if (first < g.to_end) result[first] = linear;
  }
  return result;
}

Index BitcastIndex(IrFunction& f, const Shape& from, const Shape& to,
                   absl::Span<const IrValue> index) {
  const DimensionVector from_order = MajorToMinor(from);
  const DimensionVector to_order = MajorToMinor(to);
  DimensionVector from_sizes, to_sizes;
  Index physical;
  for (int64_t d : from_order) {
    from_sizes.push_back(from.dimension(d));
    physical.push_back(index[d]);
  }
  for (int64_t d : to_order) to_sizes.push_back(to.dimension(d));
  const Index mapped = ReshapeIndex(f, from_sizes, to_sizes, physical);
  Index result(to.rank());
  for (int64_t k = 0; k < to.rank(); ++k) result[to_order[k]] = mapped[k];
  return result;
}

}  // namespace hlokit::cpu
