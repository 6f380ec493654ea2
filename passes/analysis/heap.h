// Packing buffers whose life times are known into one piece of memory.
#ifndef HLOKIT_PASSES_ANALYSIS_HEAP_H_
#define HLOKIT_PASSES_ANALYSIS_HEAP_H_

#include <cstdint>
#include <vector>

#include "passes/analysis/live_range.h"

namespace hlokit {

struct HeapBuffer {
  int64_t size = 0;
  LiveRange range;
  int64_t offset = 0;  // the answer
};

// Gives every buffer an offset, a multiple of `alignment`, so that buffers
// alive at the same time do not overlap; returns the bytes needed. Places the
// largest first, each into the smallest gap that holds it. Buffers of no bytes
// get offset 0.
int64_t PackBuffers(std::vector<HeapBuffer>* buffers, int64_t alignment);

// The least that any packing needs: the most bytes alive at one time.
int64_t PeakBytes(const std::vector<HeapBuffer>& buffers);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_HEAP_H_
