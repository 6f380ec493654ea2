// Values with dynamic dimensions: a Literal holds elements up to the bounds,
// but only those below the dynamic sizes are live.
//
// Kernels that move elements work on the live part: they loop over the live
// sizes (or Compact their operands), compute, and ExpandToBounds.
#ifndef HLOKIT_BACKENDS_INTERPRETER_DYNAMIC_DIMENSIONS_H_
#define HLOKIT_BACKENDS_INTERPRETER_DYNAMIC_DIMENSIONS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hlokit::interpreter {

// Live sizes of an array.
DimensionVector LiveDimensions(const Literal& array);
// Whether a dimension has a live size below its bound.
bool HasDeadElements(const Literal& array);

// The live part as an array whose dimensions are the live sizes, row-major; the
// array itself if everything is live.
Literal Compact(const Literal& array);
// The other way round: an array of `bounds` with `live`'s elements at its start
// and zeros elsewhere, dynamic sizes set. Each dimension of `live` must be at
// most its bound.
Literal ExpandToBounds(Literal live, const Shape& bounds);
// An array of the instruction's `shape` whose live part has the sizes `live`:
// `fill` writes that part, as a row-major array of just these sizes, onto
// zeros. An error if `live` is not what the shape allows: equal in static
// dimensions, within the bound in dynamic ones.
absl::StatusOr<Literal> MakeLive(const Shape& shape,
                                 absl::Span<const int64_t> live,
                                 absl::FunctionRef<void(char* target)> fill);
// Whether ExpandToBounds can be used on an array of `shape`: smaller only in
// dimensions that are dynamic in `bounds`.
bool FitsBounds(const Shape& shape, const Shape& bounds);

// The elements in row-major order as an array of `shape`, which has as many.
// Dynamic sizes are kept if the dimensions stay the same, else dropped.
Literal Reshaped(Literal array, const Shape& shape);

// Dynamic sizes of `from` for `to`, which has equal dimensions.
void CopyDynamicSizes(const Literal& from, Literal* to);

// `value` with `shape`, in tuples in all parts. The shapes must be compatible;
// where they are not, nothing is changed.
Literal WithShape(Literal value, const Shape& shape);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_DYNAMIC_DIMENSIONS_H_
