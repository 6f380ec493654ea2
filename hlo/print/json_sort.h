// JSON text with the keys of every object in byte order.
#ifndef HLOKIT_HLO_PRINT_JSON_SORT_H_
#define HLOKIT_HLO_PRINT_JSON_SORT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hlokit {

// Without blanks between tokens; text that is no JSON comes back unchanged.
std::string SortJsonKeys(absl::string_view json);

}  // namespace hlokit

#endif  // HLOKIT_HLO_PRINT_JSON_SORT_H_
