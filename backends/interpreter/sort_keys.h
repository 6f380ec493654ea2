// Elements as integers of the same order.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SORT_KEYS_H_
#define HLOKIT_BACKENDS_INTERPRETER_SORT_KEYS_H_

#include <cstdint>
#include <limits>

#include "backends/interpreter/float_functions.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {

// Floats in total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Not for
// complex numbers.
template <typename T>
int64_t SortKey(T value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(value ^ (uint64_t{1} << 63));
  } else if constexpr (IsSmallFloat<T>::value) {
    return TotalOrderKey(static_cast<float>(value));
  } else if constexpr (kIsFloat<T>) {
    return TotalOrderKey(value);
  } else {
    return static_cast<int64_t>(value);
  }
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SORT_KEYS_H_
