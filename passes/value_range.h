// Which element types hold which values, and what values are known to be.
#ifndef HLOKIT_PASSES_VALUE_RANGE_H_
#define HLOKIT_PASSES_VALUE_RANGE_H_

#include "hlo/ir/instruction.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit {

// Whether every value of `narrow`, infinities and NaN included, has its equal
// in `wide`: s8 in s16, u8 in s16, s16 in f32, bf16 in f32, f32 in c64, any in
// itself. False when in doubt.
bool HoldsAllValuesOf(PrimitiveType wide, PrimitiveType narrow);

// Whether no element of a float array can be negative or -0 (it may be NaN), as
// far as XLA's simplifier sees it: absolute values, squares, exponentials,
// iotas, constants, broadcasts of those, and maxima with one of those. Looks at
// a bounded number of instructions; false when in doubt.
bool IsNonNegative(const Instruction* x);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_VALUE_RANGE_H_
