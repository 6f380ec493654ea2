// How many bytes are alive at once when a module runs in order.
//
// Every array has a buffer of its own from where it is computed to its last
// use; tuples, elements of tuples, bitcasts and the state of loops are names
// for buffers of others. Parameters and constants live throughout, and so does
// what the root gives. Of called computations the largest need counts at the
// call.
#ifndef HLOKIT_PASSES_ANALYSIS_LIVENESS_H_
#define HLOKIT_PASSES_ANALYSIS_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "hlo/ir/module.h"

namespace hlokit {

struct MemoryUse {
  int64_t parameters = 0;  // bytes of the entry's parameters
  int64_t constants = 0;   // bytes of all constants
  int64_t result = 0;      // bytes of the entry's result
  int64_t peak = 0;        // most bytes alive at once besides the parameters
  const Instruction* at = nullptr;  // of the entry, where that is
  // `at` and, while it calls a computation in which the most is alive, the
  // instruction there, and so on.
  std::vector<const Instruction*> path;
};

// Along the schedule, or the print order where there is none.
MemoryUse MemoryUseOf(const Module& module);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_LIVENESS_H_
