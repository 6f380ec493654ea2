// Elements as the bits that they take in memory where types under 8 bits are
// packed: element 0 in the lowest bits.
#ifndef HLOKIT_BACKENDS_INTERPRETER_BITS_H_
#define HLOKIT_BACKENDS_INTERPRETER_BITS_H_

#include <cstdint>
#include <string>

#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// Elements as a Literal stores them, packed. Types of whole bytes are copied.
std::string PackBits(PrimitiveType type, const char* elements, int64_t count);
// The way back: signed ones are sign-extended, pred becomes 0 or 1. Elements
// that lie beyond the `size` bytes are left alone.
void UnpackBits(PrimitiveType type, const char* packed, int64_t size,
                char* elements, int64_t count);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_BITS_H_
