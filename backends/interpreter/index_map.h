// What gather and scatter have in common: index vectors that say where in the
// operand a window begins.
#ifndef HLOKIT_BACKENDS_INTERPRETER_INDEX_MAP_H_
#define HLOKIT_BACKENDS_INTERPRETER_INDEX_MAP_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hlokit::interpreter {

class IndexMap {
 public:
  // Component i of an index vector is the start in operand dimension map[i];
  // dimensions `operand_batching` of the operand follow those named in
  // `indices_batching` of the indices. Checked by shape inference.
  IndexMap(const Literal& indices, int64_t index_vector_dim,
           absl::Span<const int64_t> map,
           absl::Span<const int64_t> operand_batching,
           absl::Span<const int64_t> indices_batching, int64_t operand_rank);

  // Sizes of the indices' dimensions but for the index vector.
  const DimensionVector& batch_sizes() const { return batch_sizes_; }

  // The start of the window at position `batch` (in batch_sizes()), a number
  // for each operand dimension. Unsigned indices that an int64 cannot hold
  // become its largest value.
  void StartAt(absl::Span<const int64_t> batch, int64_t* start) const;

 private:
  // operand dimension <- value at this place of the index vector
  struct Component {
    int64_t dimension;
    int64_t offset;
  };
  // operand dimension <- batch position
  struct Batching {
    int64_t dimension;
    int64_t batch;
  };
  std::vector<int64_t> values_;
  DimensionVector batch_sizes_;
  DimensionVector batch_strides_;
  std::vector<Component> components_;
  std::vector<Batching> batching_;
  int64_t operand_rank_;
};

// Steps to the next position in row-major order; false after the last.
bool NextPosition(absl::Span<const int64_t> sizes,
                  absl::Span<int64_t> position);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_INDEX_MAP_H_
