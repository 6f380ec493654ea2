// The counter-based random bit generators of rng-bit-generator, bit for bit as
// XLA's: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011).
#ifndef HLOKIT_BACKENDS_INTERPRETER_RANDOM_BITS_H_
#define HLOKIT_BACKENDS_INTERPRETER_RANDOM_BITS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace hlokit::interpreter {

// One block. 64-bit keys and counters count their low half first.
std::array<uint32_t, 2> ThreeFry(uint64_t key, uint64_t counter);
std::array<uint32_t, 4> Philox(uint64_t key, unsigned __int128 counter);

// `width` random bits (8, 16, 32 or 64; fewer count as 8) for each element of an
// array, row-major, and what the state moves on by.
struct RandomBitsResult {
  std::vector<uint64_t> bits;
  uint64_t blocks = 0;
};

// 64-bit elements: block i of the counter for element i. Others: the first
// dimension of even size (or the largest one) is halved; block i of the halved
// array gives the elements 2i and 2i + 1 of that dimension. Narrow elements are
// the low bits of 32-bit ones.
RandomBitsResult ThreeFryBits(uint64_t key, uint64_t counter,
                              absl::Span<const int64_t> dimensions, int width);
// Elements take the words of the blocks one after another; 64-bit ones two
// words, the low one first.
RandomBitsResult PhiloxBits(uint64_t key, unsigned __int128 counter,
                            int64_t count, int width);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_RANDOM_BITS_H_
