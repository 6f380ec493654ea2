// Sorting of arrays with a comparator of HLO's sort.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SORT_H_
#define HLOKIT_BACKENDS_INTERPRETER_SORT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/literal.h"

namespace hlokit::interpreter {

// Stably sorts arrays of equal dimensions together along `dimension`. The
// comparator takes (left, right) of each array in turn and says whether left
// must come first; if its answers are no order, so is the result. Row-major
// arrays of the operands' element types.
absl::StatusOr<std::vector<Literal>> SortArrays(
    Context& context, const Computation& comparator,
    absl::Span<const Literal* const> arrays, int64_t dimension);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SORT_H_
