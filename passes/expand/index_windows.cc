#include "passes/expand/index_windows.h"

#include <algorithm>

#include "passes/gather_dims.h"

namespace hlokit {
namespace {

std::vector<int64_t> Vector(const Int64List& list) {
  return {list.begin(), list.end()};
}

IndexWindows Make(const Shape& operand, const Shape& indices,
                  int64_t index_vector_dim, const Int64List& map,
                  const Int64List& operand_batching,
                  const Int64List& indices_batching) {
  IndexWindows w;
  w.operand_rank = operand.rank();
  w.index_vector_dim = index_vector_dim;
  w.map = Vector(map);
  w.operand_batching = Vector(operand_batching);
  w.indices_batching = Vector(indices_batching);
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d == w.index_vector_dim) continue;
    w.batch_dims.push_back(d);
    w.batch_sizes.push_back(indices.dimension(d));
  }
  return w;
}

PrimitiveType PositionType(PrimitiveType type) {
  if (IsUnsignedIntType(type)) {
    return BitWidth(type) < 32 ? kS32 : BitWidth(type) < 64 ? kS64 : kU64;
  }
  return BitWidth(type) < 64 ? kS32 : kS64;
}

}  // namespace

IndexWindows IndexWindows::OfGather(const Instruction& gather) {
  const GatherDims d = GatherDimsOf(gather);
  return Make(gather.operand(0)->shape(), gather.operand(1)->shape(),
              d.index_vector_dim, d.start_index_map, d.operand_batching_dims,
              d.start_indices_batching_dims);
}

IndexWindows IndexWindows::OfScatter(const Instruction& scatter) {
  const ScatterDims d = ScatterDimsOf(scatter);
  return Make(scatter.operand(0)->shape(),
              scatter.operand(scatter.operand_count() / 2)->shape(),
              d.index_vector_dim, d.scatter_dims_to_operand_dims,
              d.input_batching_dims, d.scatter_indices_batching_dims);
}

int64_t IndexWindows::count() const {
  int64_t count = 1;
  for (int64_t size : batch_sizes) count *= size;
  return count;
}

Instruction* IndexWindows::Table(Instruction* indices, Emitter& e) const {
  if (index_vector_dim < indices->shape().rank()) {
    std::vector<int64_t> permutation = batch_dims;
    permutation.push_back(index_vector_dim);
    indices = e.Transpose(indices, permutation);
  }
  indices = e.Convert(indices, PositionType(indices->shape().element_type()));
  return e.Reshape(indices, {count(), static_cast<int64_t>(map.size())});
}

Values IndexWindows::StartsAt(Instruction* table, Instruction* i,
                              Emitter& e) const {
  const PrimitiveType type = table->shape().element_type();
  Values starts(operand_rank, nullptr);
  if (!map.empty()) {
    Instruction* row = e.DynamicSliceAlong(table, 0, i, 1);
    for (size_t n = 0; n < map.size(); ++n) {
      starts[map[n]] = e.Reshape(e.SliceInDim(row, 1, n, n + 1), {});
    }
  }
  // i is a row-major number in the batch dimensions.
  int64_t stride = 1;
  for (size_t n = batch_sizes.size(); n-- > 0;) {
    const auto at = std::find(indices_batching.begin(), indices_batching.end(),
                              batch_dims[n]);
    if (at != indices_batching.end()) {
      const PrimitiveType counter = i->shape().element_type();
      Instruction* position =
          e.Binary(Opcode::kRemainder,
                   e.Divide(i, e.ScalarInt(counter, stride)),
                   e.ScalarInt(counter, batch_sizes[n]));
      starts[operand_batching[at - indices_batching.begin()]] =
          e.Convert(position, type);
    }
    stride *= batch_sizes[n];
  }
  for (Instruction*& start : starts) {
    if (start == nullptr) start = e.ScalarInt(type, 0);
  }
  return starts;
}

}  // namespace hlokit
