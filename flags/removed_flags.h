// Flags of earlier XLA, which refuses them today, and what to use instead.
// Thread-safe.
#ifndef HLOKIT_FLAGS_REMOVED_FLAGS_H_
#define HLOKIT_FLAGS_REMOVED_FLAGS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hlokit {

struct RemovedFlag {
  absl::string_view name;         // without dashes
  absl::string_view replacement;  // a flag of today, may be empty
  absl::string_view advice;       // what to do
};

absl::Span<const RemovedFlag> RemovedFlags();  // sorted by name
// By exact name; null for a flag that was never there or still is.
const RemovedFlag* FindRemovedFlag(absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_FLAGS_REMOVED_FLAGS_H_
