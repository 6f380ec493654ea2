#include "backends/cpu/kernels/arrays.h"

namespace hlokit::cpu {

std::optional<ArrayView> ViewOf(const Shape& shape) {
  if (!shape.IsArray() || shape.is_dynamic()) return std::nullopt;
  ArrayView view = RowMajorView(shape.element_type(), shape.dimensions());
  if (!shape.has_layout()) return view;
  const Layout& layout = shape.layout();
  if (!layout.tiles.empty() ||
      static_cast<int64_t>(layout.minor_to_major.size()) != view.rank()) {
    return std::nullopt;
  }
  int64_t stride = 1;
  for (int64_t d : layout.minor_to_major) {
    view.strides[d] = stride;
    stride *= view.sizes[d];
  }
  return view;
}

ArrayView RowMajorView(PrimitiveType type, absl::Span<const int64_t> sizes) {
  ArrayView view;
  view.type = type;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    view.strides[i] = stride;
    stride *= sizes[i];
  }
  view.elements = stride;
  view.element_bytes = StorageBytes(type);
  return view;
}

bool IsRowMajor(const ArrayView& view) {
  int64_t stride = 1;
  for (int64_t i = view.rank(); i-- > 0;) {
    if (view.sizes[i] != 1 && view.strides[i] != stride) return false;
    stride *= view.sizes[i];
  }
  return true;
}

DimensionList DimensionsOf(const ArrayView& view,
                           absl::Span<const int64_t> which) {
  DimensionList list;
  for (int64_t d : which) list.push_back({view.sizes[d], view.strides[d]});
  return list;
}

DimensionList Joined(const DimensionList& list) {
  DimensionList result;
  for (const Dimension& d : list) {
    if (d.size == 1) continue;
    if (!result.empty() && result.back().stride == d.stride * d.size) {
      result.back() = {result.back().size * d.size, d.stride};
    } else {
      result.push_back(d);
    }
  }
  return result;
}

int64_t CountOf(const DimensionList& list) {
  int64_t count = 1;
  for (const Dimension& d : list) count *= d.size;
  return count;
}

int64_t OffsetAt(const DimensionList& list, int64_t index) {
  int64_t offset = 0;
  for (size_t i = list.size(); i-- > 0;) {
    offset += index % list[i].size * list[i].stride;
    index /= list[i].size;
  }
  return offset;
}

}  // namespace hlokit::cpu
