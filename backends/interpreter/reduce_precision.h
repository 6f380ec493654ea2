// Rounding to fewer exponent and mantissa bits.
#ifndef HLOKIT_BACKENDS_INTERPRETER_REDUCE_PRECISION_H_
#define HLOKIT_BACKENDS_INTERPRETER_REDUCE_PRECISION_H_

#include <cstdint>

#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// Each element of a float type rounded to a format of `exponent_bits` (at least
// 1) and `mantissa_bits`: to nearest even; what is then too large becomes
// infinite, what is below the format's normal numbers a zero of the same sign;
// NaN stays. Bits that the type itself does not have change nothing.
void ReducePrecision(PrimitiveType type, int64_t exponent_bits,
                     int64_t mantissa_bits, const char* source, char* target,
                     int64_t count);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_REDUCE_PRECISION_H_
