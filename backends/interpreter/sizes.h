// Arithmetic on lists of sizes.
#ifndef HLOKIT_BACKENDS_INTERPRETER_SIZES_H_
#define HLOKIT_BACKENDS_INTERPRETER_SIZES_H_

#include <cstdint>

#include "absl/types/span.h"

namespace hlokit::interpreter {

// 1 for an empty list. The sizes are those of a literal, so it fits.
inline int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_SIZES_H_
