#include "flags/removed_flags.h"

#include <algorithm>
#include <iterator>

namespace hlokit {
namespace {

constexpr RemovedFlag kRemovedFlags[] = {
#define HLOKIT_REMOVED_FLAG(name, replacement, advice) \
  {#name, replacement, advice},
#include "flags/removed_flags.def"
#undef HLOKIT_REMOVED_FLAG
};

}  // namespace

absl::Span<const RemovedFlag> RemovedFlags() { return kRemovedFlags; }

const RemovedFlag* FindRemovedFlag(absl::string_view name) {
  const auto it = std::lower_bound(
      std::begin(kRemovedFlags), std::end(kRemovedFlags), name,
      [](const RemovedFlag& row, absl::string_view wanted) {
        return row.name < wanted;
      });
  return it != std::end(kRemovedFlags) && it->name == name ? &*it : nullptr;
}

}  // namespace hlokit
