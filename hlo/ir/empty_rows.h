// How arrays without elements are written.
#ifndef HLOKIT_HLO_IR_EMPTY_ROWS_H_
#define HLOKIT_HLO_IR_EMPTY_ROWS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace hlokit {

// Returns the pairs of braces that the text of an array without elements
// consists of: the product of the sizes before the first 0 (f32[3,0] is
// "{ {}, {}, {} }"), or int64 max when that overflows. Other arrays have none.
int64_t EmptyRows(absl::Span<const int64_t> sizes);
// Arrays with more rows than this are written as "{...}".
inline constexpr int64_t kMaxEmptyRows = 1 << 20;

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_EMPTY_ROWS_H_
