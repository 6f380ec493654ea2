// Reads the text of a backend_config into a flat table.
#ifndef HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_TEXT_H_
#define HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_TEXT_H_

#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hlokit {

// Values by name. Names of nested objects are joined with dots; strings have no
// quotes, lists and all other values are kept as they are written.
using ConfigValues = std::map<std::string, std::string, std::less<>>;

// Reads JSON objects, {"top_k": 5, "config": {"axis": 1}}, and MLIR
// dictionaries, {side = 76 : ui8, mode = "full", unit, sizes = array<i64: 1>}:
// a name alone has the value "true", and the types of numbers are dropped. Empty
// text is an empty object. Errors: InvalidArgument that names the byte for other
// text, and for objects nested deeper than 32.
absl::StatusOr<ConfigValues> ParseConfigText(absl::string_view text);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_LIBRARY_CALLS_CONFIG_TEXT_H_
