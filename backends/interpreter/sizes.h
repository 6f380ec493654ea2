// Arithmetic on lists of sizes.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SIZES_H_
#define HLOKIT_BACKENDS_INTERPRETER_SIZES_H_

#include <cstdint>

#include "absl/types/span.h"

namespace hlokit::interpreter {

// Returns the product of sizes of a literal, 1 for an empty list. It fits
// unless one of them is 0.
inline int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size == 0) return 0;
    if (__builtin_mul_overflow(product, size, &product)) product = 0;
  }
  return product;
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SIZES_H_
