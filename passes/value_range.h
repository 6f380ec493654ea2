// Which element types hold which values.
#ifndef HLOKIT_PASSES_VALUE_RANGE_H_
#define HLOKIT_PASSES_VALUE_RANGE_H_

#include "hlo/ir/primitive_type.h"

namespace hlokit {

// Whether every value of `narrow`, infinities and NaN included, has its equal
// in `wide`: s8 in s16, u8 in s16, s16 in f32, bf16 in f32, f32 in c64, any in
// itself. False when in doubt.
bool HoldsAllValuesOf(PrimitiveType wide, PrimitiveType narrow);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_VALUE_RANGE_H_
