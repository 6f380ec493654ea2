// Values as text: what the flags of XLA and the options of tools have in
// common, and fields of DebugOptions by their descriptor. Thread-safe.
#ifndef HLOKIT_FLAGS_VALUE_TEXT_H_
#define HLOKIT_FLAGS_VALUE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "xla/xla.pb.h"

namespace hlokit {

// true, false in any case, 1, 0.
bool ParseBoolText(absl::string_view text, bool* value);
// Decimal with exponent, inf, nan, C99 hexadecimal; blanks around allowed; too
// large values become infinite, as in XLA.
bool ParseFloatText(absl::string_view text, float* value);
bool ParseDoubleText(absl::string_view text, double* value);

// The shortest decimal text that reads back as the same value.
std::string FloatText(float value);
std::string DoubleText(double value);

// Sets a singular scalar field of `options` from text; an enum by name in exact
// case. False, and nothing changed, when the text does not fit.
bool SetFieldText(const google::protobuf::FieldDescriptor& field,
                  absl::string_view text, xla::DebugOptions* options);
// A field's value: numbers and bools as above, enums by name, strings as they
// are, elements of lists with commas between, messages on one line.
std::string FieldText(const xla::DebugOptions& options,
                      const google::protobuf::FieldDescriptor& field);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_VALUE_TEXT_H_
