// The options of tools that run custom-calls of the user's libraries.
#ifndef HLOKIT_BACKENDS_CUSTOM_CALL_OPTIONS_H_
#define HLOKIT_BACKENDS_CUSTOM_CALL_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace hlokit::custom_call {

// Values of --custom_call_library and --custom_call. Errors name the option.
absl::Status UseCustomCallOptions(absl::Span<const std::string> libraries,
                                  absl::Span<const std::string> mappings);

}  // namespace hlokit::custom_call

#endif  // HLOKIT_BACKENDS_CUSTOM_CALL_OPTIONS_H_
