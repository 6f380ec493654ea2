#include "passes/gather_dims.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace hlokit {
namespace {

Int64List ListOf(const Instruction& i, AttrId id) {
  const auto list = i.attrs().GetList(id);
  return Int64List(list.begin(), list.end());
}

void Set(AttributeSet* attrs, AttrId id, const Int64List& list) {
  if (list.empty()) {
    attrs->Erase(id);
  } else {
    attrs->Set(id, list);
  }
}

}  // namespace

bool CountsUpFrom(const Int64List& dimensions, int64_t first) {
  for (size_t k = 0; k < dimensions.size(); ++k) {
    if (dimensions[k] != first + static_cast<int64_t>(k)) return false;
  }
  return true;
}

GatherDims GatherDimsOf(const Instruction& g) {
  return {ListOf(g, AttrId::kOffsetDims),
          ListOf(g, AttrId::kCollapsedSliceDims),
          ListOf(g, AttrId::kStartIndexMap),
          ListOf(g, AttrId::kOperandBatchingDims),
          ListOf(g, AttrId::kStartIndicesBatchingDims),
          g.attrs().GetInt(AttrId::kIndexVectorDim),
          ListOf(g, AttrId::kSliceSizes)};
}

Instruction* MakeGather(Builder& b, const Instruction& like,
                        Instruction* operand, Instruction* indices,
                        const GatherDims& dims) {
  AttributeSet attrs;
  Set(&attrs, AttrId::kOffsetDims, dims.offset_dims);
  Set(&attrs, AttrId::kCollapsedSliceDims, dims.collapsed_slice_dims);
  Set(&attrs, AttrId::kStartIndexMap, dims.start_index_map);
  Set(&attrs, AttrId::kOperandBatchingDims, dims.operand_batching_dims);
  Set(&attrs, AttrId::kStartIndicesBatchingDims,
      dims.start_indices_batching_dims);
  attrs.Set(AttrId::kIndexVectorDim, dims.index_vector_dim);
  Set(&attrs, AttrId::kSliceSizes, dims.slice_sizes);
  if (like.attrs().GetBool(AttrId::kIndicesAreSorted)) {
    attrs.Set(AttrId::kIndicesAreSorted, true);
  }
  return b.Op(Opcode::kGather, {operand, indices}, std::move(attrs));
}

ScatterDims ScatterDimsOf(const Instruction& s) {
  return {ListOf(s, AttrId::kUpdateWindowDims),
          ListOf(s, AttrId::kInsertedWindowDims),
          ListOf(s, AttrId::kScatterDimsToOperandDims),
          ListOf(s, AttrId::kInputBatchingDims),
          ListOf(s, AttrId::kScatterIndicesBatchingDims),
          s.attrs().GetInt(AttrId::kIndexVectorDim)};
}

AttributeSet ScatterAttributes(const Instruction& like,
                               const ScatterDims& dims) {
  AttributeSet attrs = like.attrs();
  Set(&attrs, AttrId::kUpdateWindowDims, dims.update_window_dims);
  Set(&attrs, AttrId::kInsertedWindowDims, dims.inserted_window_dims);
  Set(&attrs, AttrId::kScatterDimsToOperandDims,
      dims.scatter_dims_to_operand_dims);
  Set(&attrs, AttrId::kInputBatchingDims, dims.input_batching_dims);
  Set(&attrs, AttrId::kScatterIndicesBatchingDims,
      dims.scatter_indices_batching_dims);
  attrs.Set(AttrId::kIndexVectorDim, dims.index_vector_dim);
  attrs.Erase(AttrId::kSharding);
  return attrs;
}

Instruction* IndexMatrix(Builder& b, Instruction* indices,
                         int64_t index_vector_dim) {
  const int64_t rank = indices->shape().rank();
  int64_t size = 1;
  if (index_vector_dim < rank) {
    size = indices->shape().dimension(index_vector_dim);
    Int64List order;
    for (int64_t d = 0; d < rank; ++d) {
      if (d != index_vector_dim) order.push_back(d);
    }
    order.push_back(index_vector_dim);
    indices = b.Transpose(indices, order);
  }
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != rank - 1 || index_vector_dim >= rank) {
      count *= indices->shape().dimension(d);
    }
  }
  return b.Reshape(indices, {count, size});
}

Int64List MovedToFront(const Int64List& first, int64_t rank) {
  Int64List order = first;
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(first, d)) order.push_back(d);
  }
  return order;
}

Int64List InverseOf(const Int64List& permutation) {
  Int64List inverse(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) inverse[permutation[k]] = k;
  return inverse;
}

}  // namespace hlokit
