// Slices of large concatenations read the one operand that they need.
#ifndef HLOKIT_BACKENDS_INTERPRETER_LARGE_SLICES_H_
#define HLOKIT_BACKENDS_INTERPRETER_LARGE_SLICES_H_

#include <cstdint>

#include "hlo/ir/module.h"

namespace hlokit::interpreter {

// Concatenations of at least this size are looked through.
inline constexpr int64_t kLargeConcatenateBytes = int64_t{1} << 26;

// Makes each slice within one operand of a large concatenation a slice of
// that operand, and removes concatenations that no instruction uses afterwards.
// A few lines can double an array until it takes gigabytes of which four
// elements are used; the values are the same. Names of slices are kept.
void ReadThroughLargeConcatenates(Module* module);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_LARGE_SLICES_H_
