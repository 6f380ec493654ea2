// One copy loop for all operations that move elements: broadcast, transpose,
// slice, pad, reverse, concatenate, ...
#ifndef HLOKIT_BACKENDS_INTERPRETER_STRIDED_COPY_H_
#define HLOKIT_BACKENDS_INTERPRETER_STRIDED_COPY_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "hlo/ir/shape.h"

namespace hlokit::interpreter {

// One dimension of a copy: how often, and how far each side goes at each step,
// in elements. A stride may be 0 or negative.
struct CopyLoop {
  int64_t size = 1;
  int64_t source = 0;
  int64_t target = 0;
};
using CopyLoops = absl::InlinedVector<CopyLoop, 6>;

// Copies elements of `element_bytes` (1, 2, 4, 8 or 16), the first loop
// outermost. `source` and `target` point at the first element each; nothing is
// copied if a size is 0.
void StridedCopy(absl::Span<const CopyLoop> loops, const char* source,
                 char* target, int64_t element_bytes);

// Row-major strides of an array with these dimensions, in elements.
DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_STRIDED_COPY_H_
