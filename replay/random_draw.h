// The distributions behind fake data, written out so that every platform and
// library version draws the same values.
//
// Specification: absl::uniform_int_distribution of the 2022-06-23 release and
// libstdc++'s uniform_real_distribution, both over std::minstd_rand0.
#ifndef HLOKIT_REPLAY_RANDOM_DRAW_H_
#define HLOKIT_REPLAY_RANDOM_DRAW_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace hlokit {

using MinstdEngine = std::minstd_rand0;

// `bits` random bits (1 to 31) from one draw, rejecting the uneven rest.
inline uint64_t DrawSomeBits(MinstdEngine& engine, int bits) {
  constexpr uint64_t kRange =
      uint64_t{MinstdEngine::max()} - MinstdEngine::min() + 1;
  const uint64_t limit = (kRange >> bits) << bits;
  for (;;) {
    const uint64_t value = engine() - MinstdEngine::min();
    if (value < limit) return value & ((uint64_t{1} << bits) - 1);
  }
}

// A 16-, 32- or 64-bit word: one, two (high half first) or three (21, 21, 22
// bits) draws.
inline uint64_t DrawWord(MinstdEngine& engine, int bits) {
  if (bits <= 16) return DrawSomeBits(engine, 16);
  if (bits <= 32) {
    const uint64_t high = DrawSomeBits(engine, 16);
    return high << 16 | DrawSomeBits(engine, 16);
  }
  uint64_t word = DrawSomeBits(engine, 21);
  word = word << 21 | DrawSomeBits(engine, 21);
  return word << 22 | DrawSomeBits(engine, 22);
}

// Uniform in [low, high].
template <typename T>
T DrawInteger(MinstdEngine& engine, T low, T high) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = sizeof(T) < 2 ? 16 : 8 * sizeof(T);
  using Wide = std::conditional_t<kBits == 64, unsigned __int128, uint64_t>;
  constexpr Wide kLowMask = (static_cast<Wide>(1) << kBits) - 1;
  const Wide range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
  uint64_t word = DrawWord(engine, kBits);
  if ((range & (range + 1)) == 0) {
    return static_cast<T>(static_cast<U>(low) + static_cast<U>(word & range));
  }
  const Wide size = range + 1;
  Wide product = static_cast<Wide>(word) * size;
  if ((product & kLowMask) < size) {
    const Wide threshold = (kLowMask + 1 - size) % size;
    while ((product & kLowMask) < threshold) {
      word = DrawWord(engine, kBits);
      product = static_cast<Wide>(word) * size;
    }
  }
  return static_cast<T>(static_cast<U>(low) +
                        static_cast<U>(product >> kBits));
}

// Uniform in [low, high): one draw for float, two for double.
template <typename F>
F DrawReal(MinstdEngine& engine, F low, F high) {
  std::uniform_real_distribution<F> distribution(low, high);
  return distribution(engine);
}

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_RANDOM_DRAW_H_
