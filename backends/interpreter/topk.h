// The k largest or smallest elements of each row.
#ifndef HLOKIT_BACKENDS_INTERPRETER_TOPK_H_
#define HLOKIT_BACKENDS_INTERPRETER_TOPK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "hlo/ir/literal.h"

namespace hlokit::interpreter {

// Rows along the last dimension. Values descend (`largest`) or ascend in total
// order; of equal ones the first comes first. A tuple (values, s32 indices) of
// shape `shape`, whose last dimensions are at most the operand's.
absl::StatusOr<Literal> TopK(const Literal& operand, bool largest,
                             const Shape& shape);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_TOPK_H_
