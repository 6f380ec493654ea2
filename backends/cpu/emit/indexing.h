// Index arithmetic: places in arrays by multi-dimensional index, through
// reshapes and layouts. Indices are i64 values, one a logical dimension.
#ifndef HLOKIT_BACKENDS_CPU_EMIT_INDEXING_H_
#define HLOKIT_BACKENDS_CPU_EMIT_INDEXING_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/cpu/emit/ir.h"
#include "hlo/ir/shape.h"

namespace hlokit::cpu {

using Index = absl::InlinedVector<IrValue, 4>;

// Logical dimensions from the slowest to the fastest in memory; row-major
// without layout.
DimensionVector MajorToMinor(const Shape& shape);
// Elements between neighbours along each logical dimension.
DimensionVector Strides(const Shape& shape);

// The number of the element in memory.
IrValue LinearIndex(IrFunction& f, const Shape& shape,
                    absl::Span<const IrValue> index);

// Runs of dimensions of `from` and of `to` that have the same number of
// elements, as short as possible: {2,3,4} and {6,4} give {0,1}-{0} and {2}-{1}.
// Dimensions of size 1 join some run. Both have the same number of elements, at
// least one.
struct DimensionGroup {
  int64_t from_begin, from_end;
  int64_t to_begin, to_end;
};
std::vector<DimensionGroup> CommonGroups(absl::Span<const int64_t> from,
                                         absl::Span<const int64_t> to);

// The index into row-major `to` of the element at `index` of row-major `from`.
Index ReshapeIndex(IrFunction& f, absl::Span<const int64_t> from,
                   absl::Span<const int64_t> to,
                   absl::Span<const IrValue> index);

// The same for shapes whose elements lie in memory in the same order (bitcast).
Index BitcastIndex(IrFunction& f, const Shape& from, const Shape& to,
                   absl::Span<const IrValue> index);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_EMIT_INDEXING_H_
