#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

// Operands from `first` on are start indices: one integer scalar for each
// dimension, or one vector of that many.
absl::Status CheckStartIndices(const InferenceInput& in, int64_t first,
                               int64_t rank) {
  int64_t count = in.operands.size() - first;
  if (count == 1 && in.operands[first]->IsArray() &&
      in.operands[first]->rank() == 1) {
    const Shape& indices = *in.operands[first];
    if (!IsIntegerType(indices.element_type()) ||
        indices.dimension(0) != rank) {
      return InvalidArgument("expected %d integer start indices, found %s",
                             rank, TypeText(indices));
    }
    return absl::OkStatus();
  }
  if (count != rank) {
    return InvalidArgument("expected %d start indices, found %d", rank, count);
  }
  for (int64_t i = 0; i < rank; ++i) {
    HLOKIT_RETURN_IF_ERROR(ExpectIntegerScalar(in, first + i));
    if (in.operands[first + i]->element_type() !=
        in.operands[first]->element_type()) {
      return InvalidArgument("start indices differ in type: %s and %s",
                             TypeText(*in.operands[first]),
                             TypeText(*in.operands[first + i]));
    }
  }
  return absl::OkStatus();
}

// The dimensions of `rank` that `list` (already checked) does not name.
DimensionVector Others(absl::Span<const int64_t> list, int64_t rank) {
  absl::InlinedVector<bool, 16> named(rank, false);
  for (int64_t d : list) named[d] = true;
  DimensionVector others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!named[d]) others.push_back(d);
  }
  return others;
}

absl::Status CheckDisjoint(absl::string_view name_a,
                           absl::Span<const int64_t> a,
                           absl::string_view name_b,
                           absl::Span<const int64_t> b, int64_t rank) {
  absl::InlinedVector<bool, 16> named(rank, false);
  for (int64_t d : a) named[d] = true;
  for (int64_t d : b) {
    if (named[d]) {
      return InvalidArgument("%s and %s both name dimension %d", name_a,
                             name_b, d);
    }
  }
  return absl::OkStatus();
}

// What gather and scatter have in common: how a vector of `indices` addresses
// the operand. The names of the attributes differ.
struct IndexMapping {
  const Shape& operand;
  const Shape& indices;
  int64_t index_vector_dim;
  absl::string_view map_name, removed_name, batching_name, indices_name;
  absl::Span<const int64_t> map;       // index component -> operand dimension
  absl::Span<const int64_t> removed;   // operand dimensions without window
  absl::Span<const int64_t> batching;  // operand dimensions paired with ...
  absl::Span<const int64_t> indices_batching;  // ... these of the indices
};

absl::Status CheckBatching(const IndexMapping& m) {
  if (m.batching.size() != m.indices_batching.size()) {
    return InvalidArgument("%s and %s must have as many entries",
                           m.batching_name, m.indices_name);
  }
  HLOKIT_RETURN_IF_ERROR(CheckDimensionList(m.batching_name, m.batching,
                                            m.operand.rank(), true));
  HLOKIT_RETURN_IF_ERROR(CheckDimensionList(
      m.indices_name, m.indices_batching, m.indices.rank()));
  for (size_t i = 0; i < m.batching.size(); ++i) {
    if (m.indices_batching[i] == m.index_vector_dim) {
      return InvalidArgument("%s names index_vector_dim", m.indices_name);
    }
    if (!SizesAgree(m.operand.dimension(m.batching[i]),
                    m.indices.dimension(m.indices_batching[i]))) {
      return InvalidArgument(
          "batching dimension %d of %s must have the size of dimension %d of "
          "%s",
          m.batching[i], TypeText(m.operand), m.indices_batching[i],
          TypeText(m.indices));
    }
  }
  HLOKIT_RETURN_IF_ERROR(CheckDisjoint(m.map_name, m.map, m.batching_name,
                                       m.batching, m.operand.rank()));
  return CheckDisjoint(m.removed_name, m.removed, m.batching_name, m.batching,
                       m.operand.rank());
}

absl::Status CheckMapping(const IndexMapping& m) {
  if (!IsIntegerType(m.indices.element_type())) {
    return InvalidArgument("indices must be integers, found %s",
                           TypeText(m.indices));
  }
  if (m.index_vector_dim < 0 || m.index_vector_dim > m.indices.rank()) {
    return InvalidArgument("index_vector_dim %d is outside of %s",
                           m.index_vector_dim, TypeText(m.indices));
  }
  int64_t components = m.index_vector_dim == m.indices.rank()
                           ? 1
                           : m.indices.dimension(m.index_vector_dim);
  int64_t map_size = m.map.size();
  if (!SizesAgree(map_size, components)) {
    return InvalidArgument(
        "%s must have %d entries, one for each component of an index, found "
        "%d",
        m.map_name, components, map_size);
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList(m.map_name, m.map, m.operand.rank()));
  HLOKIT_RETURN_IF_ERROR(CheckDimensionList(m.removed_name, m.removed,
                                            m.operand.rank(), true));
  return CheckBatching(m);
}

// The dimensions of the indices that are not the index vector.
DimensionVector IndexBatchDimensions(const IndexMapping& m) {
  DimensionVector result;
  for (int64_t i = 0; i < m.indices.rank(); ++i) {
    if (i != m.index_vector_dim) result.push_back(i);
  }
  return result;
}

absl::Status CheckSliceSizes(const IndexMapping& m,
                             absl::Span<const int64_t> sizes) {
  if (static_cast<int64_t>(sizes.size()) != m.operand.rank()) {
    return InvalidArgument(
        "slice_sizes must have one entry for each dimension of %s, found %d",
        TypeText(m.operand), static_cast<int64_t>(sizes.size()));
  }
  for (int64_t i = 0; i < m.operand.rank(); ++i) {
    int64_t bound = m.operand.dimension(i);
    if (sizes[i] < 0 || (bound != kUnboundedSize && sizes[i] > bound)) {
      return InvalidArgument("slice size %d does not fit dimension %d of %s",
                             sizes[i], i, TypeText(m.operand));
    }
  }
  for (absl::Span<const int64_t> list : {m.removed, m.batching}) {
    for (int64_t d : list) {
      if (sizes[d] > 1) {
        return InvalidArgument(
            "dimension %d is collapsed or batching, its slice size must be 1, "
            "found %d",
            d, sizes[d]);
      }
    }
  }
  return absl::OkStatus();
}

// Operand dimensions that a window spans, in order.
DimensionVector WindowDimensions(const IndexMapping& m) {
  absl::InlinedVector<bool, 16> named(m.operand.rank(), false);
  for (int64_t d : m.removed) named[d] = true;
  for (int64_t d : m.batching) named[d] = true;
  DimensionVector result;
  for (int64_t d = 0; d < m.operand.rank(); ++d) {
    if (!named[d]) result.push_back(d);
  }
  return result;
}

// One operand and its updates.
absl::Status CheckUpdates(const IndexMapping& m, const Shape& updates,
                          absl::Span<const int64_t> window_dims) {
  DimensionVector batch = IndexBatchDimensions(m);
  DimensionVector window = WindowDimensions(m);
  if (window.size() != window_dims.size()) {
    return InvalidArgument(
        "update_window_dims must have %d entries, one for each window "
        "dimension of %s, found %d",
        static_cast<int64_t>(window.size()), TypeText(m.operand),
        static_cast<int64_t>(window_dims.size()));
  }
  int64_t rank = batch.size() + window.size();
  if (updates.rank() != rank) {
    return InvalidArgument("updates must have rank %d, found %s", rank,
                           TypeText(updates));
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("update_window_dims", window_dims, rank, true));
  for (size_t i = 0; i < window.size(); ++i) {
    int64_t size = updates.dimension(window_dims[i]);
    int64_t bound = m.operand.dimension(window[i]);
    if (size != kUnboundedSize && bound != kUnboundedSize && size > bound) {
      return InvalidArgument(
          "the window in dimension %d of the updates (%s) is larger than "
          "dimension %d of %s",
          window_dims[i], TypeText(updates), window[i], TypeText(m.operand));
    }
  }
  DimensionVector scatter = Others(window_dims, rank);
  for (size_t i = 0; i < scatter.size(); ++i) {
    if (!SizesAgree(updates.dimension(scatter[i]),
                    m.indices.dimension(batch[i]))) {
      return InvalidArgument(
          "dimension %d of the updates (%s) must have the size of dimension "
          "%d of the indices (%s)",
          scatter[i], TypeText(updates), batch[i], TypeText(m.indices));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Result DynamicSlice(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& operand = *in.operands[0];
  HLOKIT_RETURN_IF_ERROR(CheckStartIndices(in, 1, operand.rank()));
  absl::Span<const int64_t> sizes =
      in.attrs->GetList(AttrId::kDynamicSliceSizes);
  if (static_cast<int64_t>(sizes.size()) != operand.rank()) {
    return InvalidArgument(
        "dynamic_slice_sizes must have one entry for each dimension of %s, "
        "found %d",
        TypeText(operand), static_cast<int64_t>(sizes.size()));
  }
  ShapeMaker result(operand.element_type());
  for (int64_t i = 0; i < operand.rank(); ++i) {
    int64_t bound = operand.dimension(i);
    if (sizes[i] < 0 || (bound != kUnboundedSize && sizes[i] > bound)) {
      return InvalidArgument("slice size %d does not fit dimension %d of %s",
                             sizes[i], i, TypeText(operand));
    }
    result.Add(sizes[i], operand.is_dynamic_dimension(i) &&
                             sizes[i] == bound);
  }
  return result.Make();
}

Result DynamicUpdateSlice(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 2));
  // A buffer is updated in place.
  const Shape& target = in.operands[0]->IsBuffer() &&
                                !in.operands[0]->tuple_shapes().empty()
                            ? in.operands[0]->tuple_shape(0)
                            : *in.operands[0];
  const Shape& update = *in.operands[1];
  if (!target.IsArray()) {
    return InvalidArgument("expected an array as operand 0, found %s",
                           TypeText(target));
  }
  HLOKIT_RETURN_IF_ERROR(ExpectArray(in, 1));
  HLOKIT_RETURN_IF_ERROR(CheckStartIndices(in, 2, target.rank()));
  if (!TypesAgree(target.element_type(), update.element_type())) {
    return InvalidArgument("element types differ: %s and %s",
                           TypeText(target), TypeText(update));
  }
  if (target.rank() != update.rank()) {
    return InvalidArgument("ranks differ: %s and %s", TypeText(target),
                           TypeText(update));
  }
  for (int64_t i = 0; i < target.rank(); ++i) {
    int64_t bound = target.dimension(i), size = update.dimension(i);
    if (size != kUnboundedSize && bound != kUnboundedSize && size > bound) {
      return InvalidArgument("the update %s does not fit into %s",
                             TypeText(update), TypeText(target));
    }
  }
  return *in.operands[0];
}

Result Gather(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& operand = *in.operands[0];
  const Shape& indices = *in.operands[1];
  const AttributeSet& attrs = *in.attrs;
  IndexMapping m = {operand,
                    indices,
                    attrs.GetInt(AttrId::kIndexVectorDim),
                    "start_index_map",
                    "collapsed_slice_dims",
                    "operand_batching_dims",
                    "start_indices_batching_dims",
                    attrs.GetList(AttrId::kStartIndexMap),
                    attrs.GetList(AttrId::kCollapsedSliceDims),
                    attrs.GetList(AttrId::kOperandBatchingDims),
                    attrs.GetList(AttrId::kStartIndicesBatchingDims)};
  absl::Span<const int64_t> sizes = attrs.GetList(AttrId::kSliceSizes);
  absl::Span<const int64_t> offset_dims = attrs.GetList(AttrId::kOffsetDims);
  HLOKIT_RETURN_IF_ERROR(CheckMapping(m));
  HLOKIT_RETURN_IF_ERROR(CheckSliceSizes(m, sizes));
  DimensionVector batch = IndexBatchDimensions(m);
  DimensionVector window = WindowDimensions(m);
  if (window.size() != offset_dims.size()) {
    return InvalidArgument(
        "offset_dims must have %d entries, one for each dimension of %s that "
        "is neither collapsed nor batching, found %d",
        static_cast<int64_t>(window.size()), TypeText(operand),
        static_cast<int64_t>(offset_dims.size()));
  }
  int64_t rank = batch.size() + window.size();
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("offset_dims", offset_dims, rank, true));
  ShapeMaker result(operand.element_type());
  size_t next_window = 0, next_batch = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (next_window < window.size() && offset_dims[next_window] == i) {
      int64_t d = window[next_window++];
      result.Add(sizes[d], operand.is_dynamic_dimension(d) &&
                               sizes[d] == operand.dimension(d));
    } else {
      result.AddFrom(indices, batch[next_batch++]);
    }
  }
  return result.Make();
}

Result Scatter(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 3));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  if (in.operands.size() % 2 == 0) {
    return InvalidArgument(
        "expected inputs, indices and as many updates as inputs, found %d "
        "operands",
        static_cast<int64_t>(in.operands.size()));
  }
  int64_t count = in.operands.size() / 2;
  const Shape& indices = *in.operands[count];
  const AttributeSet& attrs = *in.attrs;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = *in.operands[i];
    const Shape& updates = *in.operands[count + 1 + i];
    if (!DimensionsAgree(operand, *in.operands[0]) ||
        !DimensionsAgree(updates, *in.operands[count + 1])) {
      return InvalidArgument(
          "inputs must have equal dimensions, and so must updates");
    }
    if (!TypesAgree(operand.element_type(), updates.element_type())) {
      return InvalidArgument("element types differ: %s and %s",
                             TypeText(operand), TypeText(updates));
    }
    if (i > 0) continue;
    IndexMapping m = {operand,
                      indices,
                      attrs.GetInt(AttrId::kIndexVectorDim),
                      "scatter_dims_to_operand_dims",
                      "inserted_window_dims",
                      "input_batching_dims",
                      "scatter_indices_batching_dims",
                      attrs.GetList(AttrId::kScatterDimsToOperandDims),
                      attrs.GetList(AttrId::kInsertedWindowDims),
                      attrs.GetList(AttrId::kInputBatchingDims),
                      attrs.GetList(AttrId::kScatterIndicesBatchingDims)};
    HLOKIT_RETURN_IF_ERROR(CheckMapping(m));
    HLOKIT_RETURN_IF_ERROR(CheckUpdates(
        m, updates, attrs.GetList(AttrId::kUpdateWindowDims)));
  }
  absl::InlinedVector<Shape, 2> scalars;
  for (int64_t i = 0; i < count; ++i) {
    scalars.push_back(Shape::Scalar(in.operands[i]->element_type()));
  }
  absl::InlinedVector<const Shape*, 2> elements, inits;
  for (int64_t i = 0; i < count; ++i) {
    elements.push_back(in.operands[count + 1 + i]);
    inits.push_back(&scalars[i]);
  }
  HLOKIT_RETURN_IF_ERROR(CheckReducer(in, 0, elements, inits));
  if (count == 1) return *in.operands[0];
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) results.push_back(*in.operands[i]);
  return Shape::Tuple(std::move(results));
}

}  // namespace hlokit::infer
