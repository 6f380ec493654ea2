// How arrays lie in the buffers that kernels get.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_ARRAYS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_ARRAYS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "backends/cpu/native_kernel.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"

namespace hlokit::cpu {

// A static array in a buffer: for each dimension its size and how many elements
// lie between neighbours.
struct ArrayView {
  PrimitiveType type = kInvalid;
  DimensionVector sizes;
  DimensionVector strides;
  int64_t elements = 0;
  int64_t element_bytes = 0;

  int64_t rank() const { return sizes.size(); }
  int64_t bytes() const { return elements * element_bytes; }
};

// Nothing unless the shape is an array without dynamic dimensions and tiles.
std::optional<ArrayView> ViewOf(const Shape& shape);
// With strides of the row-major order.
ArrayView RowMajorView(PrimitiveType type, absl::Span<const int64_t> sizes);

bool IsRowMajor(const ArrayView& view);

// Positions of a walk over some dimensions of one array, in row-major order of
// the list: offsets in elements. At most a few thousand million entries are
// made by callers, who look at the sizes before.
struct Dimension {
  int64_t size = 1;
  int64_t stride = 0;
};
using DimensionList = absl::InlinedVector<Dimension, 4>;

DimensionList DimensionsOf(const ArrayView& view,
                           absl::Span<const int64_t> which);
// Without dimensions of size 1; neighbours that run as one are joined.
DimensionList Joined(const DimensionList& list);
int64_t CountOf(const DimensionList& list);
// The offset of position `index`.
int64_t OffsetAt(const DimensionList& list, int64_t index);

// An amount of work (about elements) that is worth a piece of a parallel loop.
inline constexpr int64_t kWorthAThread = 1 << 15;

// Pieces for ParallelFor: `items` that take `work` each.
inline int64_t GrainFor(int64_t work, int64_t worth = kWorthAThread) {
  return work >= worth ? 1 : worth / (work < 1 ? 1 : work);
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_ARRAYS_H_
