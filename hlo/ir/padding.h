// Sizes and positions that padding gives, for shape inference and backends.
#ifndef HLOKIT_HLO_IR_PADDING_H_
#define HLOKIT_HLO_IR_PADDING_H_

#include <cstdint>
#include <optional>

#include "hlo/ir/op_attributes.h"

namespace hlokit {

// Where the elements of one padded dimension end up: element first + k of the
// operand, for 0 <= k < count, becomes element place + k * step of the result.
// With a count of 0 or 1 the step is 1, and with 0 the rest is 0, so that every
// position fits the result however large the padding is.
struct PadSpan {
  int64_t first = 0;
  int64_t count = 0;
  int64_t place = 0;
  int64_t step = 1;
};
// Returns the size of a dimension of `size` elements after padding, below zero
// when more is cut off than there is. Empty when the size overflows int64 or
// the interior padding is negative.
std::optional<int64_t> PaddedSize(const PaddingDimension& padding,
                                  int64_t size);
// Returns the span of a dimension that grows from `size` to `result_size`
// elements, both not negative.
PadSpan PadSpanOf(const PaddingDimension& padding, int64_t size,
                  int64_t result_size);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_PADDING_H_
