#include "backends/interpreter/index_map.h"

#include <algorithm>
#include <limits>

#include "backends/interpreter/strided_copy.h"

namespace hlokit::interpreter {
namespace {

std::vector<int64_t> IndexValues(const Literal& indices) {
  const bool is_u64 = indices.element_type() == kU64;
  std::vector<int64_t> values(indices.element_count());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = indices.GetAsInt64(i);
    if (is_u64 && values[i] < 0) {
      values[i] = std::numeric_limits<int64_t>::max();
    }
  }
  return values;
}

}  // namespace

IndexMap::IndexMap(const Literal& indices, int64_t index_vector_dim,
                   absl::Span<const int64_t> map,
                   absl::Span<const int64_t> operand_batching,
                   absl::Span<const int64_t> indices_batching,
                   int64_t operand_rank)
    : values_(IndexValues(indices)), operand_rank_(operand_rank) {
  const absl::Span<const int64_t> sizes = indices.shape().dimensions();
  const DimensionVector strides = RowMajorStrides(sizes);
  DimensionVector batch_of(sizes.size(), -1);
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i) {
    if (i == index_vector_dim) continue;
    batch_of[i] = batch_sizes_.size();
    batch_sizes_.push_back(sizes[i]);
    batch_strides_.push_back(strides[i]);
  }
  const bool implicit = index_vector_dim == indices.shape().rank();
  for (size_t i = 0; i < map.size(); ++i) {
    const int64_t stride = implicit ? 0 : strides[index_vector_dim];
    components_.push_back({map[i], static_cast<int64_t>(i) * stride});
  }
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    batching_.push_back({operand_batching[i], batch_of[indices_batching[i]]});
  }
}

void IndexMap::StartAt(absl::Span<const int64_t> batch, int64_t* start) const {
  std::fill_n(start, operand_rank_, 0);
  int64_t at = 0;
  for (size_t i = 0; i < batch.size(); ++i) at += batch[i] * batch_strides_[i];
  for (const Component& c : components_) {
    start[c.dimension] = values_[at + c.offset];
  }
  for (const Batching& b : batching_) start[b.dimension] = batch[b.batch];
}

bool NextPosition(absl::Span<const int64_t> sizes,
                  absl::Span<int64_t> position) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++position[i] < sizes[i]) return true;
    position[i] = 0;
  }
  return false;
}

}  // namespace hlokit::interpreter
