// Counter-based random bits as instructions. The functions are those of
// "Parallel Random Numbers: As Easy as 1, 2, 3" (Salmon et al., 2011): Threefry
// 2x32 with 20 rounds and Philox 4x32 with 10.
#ifndef HLOKIT_PASSES_EXPAND_RANDOM_BITS_H_
#define HLOKIT_PASSES_EXPAND_RANDOM_BITS_H_

#include <cstdint>

#include "passes/expand/emitter.h"

namespace hlokit {

struct RandomBits {
  Instruction* bits = nullptr;  // u32 or u64 of the dimensions asked for
  int64_t blocks = 0;           // by which the counter grows
};

// `key` and `counter` are u64 scalars; `width` of the elements is 32 or 64.
// 32-bit words of a block lie side by side along the first even dimension (else
// the first of the largest).
RandomBits ThreeFryBits(Instruction* key, Instruction* counter, Dims sizes,
                        int width, Emitter& e);

// A 128-bit counter in two u64 scalars. Blocks follow each other in row-major
// order.
struct Counter128 {
  Instruction* low;
  Instruction* high;
};
RandomBits PhiloxBits(Instruction* key, Counter128 counter, Dims sizes,
                      int width, Emitter& e);
Counter128 Advance(Counter128 counter, Instruction* steps, Emitter& e);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_RANDOM_BITS_H_
