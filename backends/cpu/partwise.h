// Finds kernels that can be done a few parts at a time.
//
// Softmax over the rows of a large array is four kernels. One after the other,
// each reads from memory what the one before it wrote there; a few rows at a
// time, all but the first find it in the cache.
#ifndef HLOKIT_BACKENDS_CPU_PARTWISE_H_
#define HLOKIT_BACKENDS_CPU_PARTWISE_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/thunk.h"

namespace hlokit::cpu {

// The groups among a sequence's thunks (which know their places), in order.
std::vector<PartwiseGroup> FindPartwiseGroups(
    absl::Span<const std::unique_ptr<Thunk>> thunks);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_PARTWISE_H_
