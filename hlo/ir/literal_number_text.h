// Single elements of literals as the HLO text format writes them.
//
// Integers are decimal. pred is 1 or 0 (that scalars say true and false is the
// literal printer's affair). Floats look like printf's %.*g with a number of
// digits by type: f32 6 if that reads back equal, else 9; f64 15 or 17; the
// small ones a fixed number that always reads back equal. NaNs other than the
// plain quiet one show their mantissa bits: "-nan(0x1)". Complex: "(re, im)".
#ifndef HLOKIT_HLO_IR_LITERAL_NUMBER_TEXT_H_
#define HLOKIT_HLO_IR_LITERAL_NUMBER_TEXT_H_

#include <string>

#include "hlo/ir/native_types.h"

namespace hlokit {

// No number is longer.
inline constexpr int kMaxNumberText = 128;

// Writes to a buffer of at least kMaxNumberText bytes; returns the end.
#define HLO_NATIVE(enumerator, native) \
  char* WriteNumber(native value, char* out);
HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE)
#undef HLO_NATIVE

template <typename T>
void AppendNumber(const T& value, std::string* out) {
  char buffer[kMaxNumberText];
  out->append(buffer, WriteNumber(value, buffer) - buffer);
}

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_LITERAL_NUMBER_TEXT_H_
