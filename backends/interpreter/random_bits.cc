#include "backends/interpreter/random_bits.h"

#include <algorithm>
#include <bit>

#include "backends/interpreter/sizes.h"

namespace hlokit::interpreter {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
uint64_t Join(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

// The first dimension of even size, else the first of the largest.
size_t SplitDimension(absl::Span<const int64_t> dimensions) {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] % 2 == 0) return i;
  }
  return std::max_element(dimensions.begin(), dimensions.end()) -
         dimensions.begin();
}

}  // namespace

std::array<uint32_t, 2> ThreeFry(uint64_t key, uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {Low(key), High(key),
                            Low(key) ^ High(key) ^ 0x1BD11BDAu};
  uint32_t x0 = Low(counter) + keys[0];
  uint32_t x1 = High(counter) + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

std::array<uint32_t, 4> Philox(uint64_t key, unsigned __int128 counter) {
  const uint64_t low = static_cast<uint64_t>(counter);
  const uint64_t high = static_cast<uint64_t>(counter >> 64);
  std::array<uint32_t, 4> x = {Low(low), High(low), Low(high), High(high)};
  uint32_t key0 = Low(key), key1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
    x = {High(b) ^ x[1] ^ key0, Low(b), High(a) ^ x[3] ^ key1, Low(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

RandomBitsResult ThreeFryBits(uint64_t key, uint64_t counter,
                              absl::Span<const int64_t> dimensions,
                              int width) {
  RandomBitsResult result;
  const int64_t count = Product(dimensions);
  result.bits.resize(count);
  if (width == 64) {
    for (int64_t i = 0; i < count; ++i) {
      const auto [x0, x1] = ThreeFry(key, counter + i);
      result.bits[i] = Join(x0, x1);
    }
    result.blocks = count;
    return result;
  }
  // As (outer, split, inner), a scalar as (1, 1, 1).
  const int64_t one = 1;
  if (dimensions.empty()) dimensions = absl::MakeConstSpan(&one, 1);
  const size_t split = SplitDimension(dimensions);
  const int64_t outer = Product(dimensions.first(split));
  const int64_t size = dimensions[split];
  const int64_t inner = Product(dimensions.subspan(split + 1));
  const int64_t half = (size + 1) / 2;
  const uint64_t mask = (uint64_t{1} << std::min(width, 32)) - 1;
  result.blocks = outer * half * inner;
  for (uint64_t block = 0; block < result.blocks; ++block) {
    const int64_t i = block / (half * inner);
    const int64_t j = block / inner % half;
    const int64_t k = block % inner;
    const std::array<uint32_t, 2> words = ThreeFry(key, counter + block);
    for (int64_t part = 0; part < 2; ++part) {
      if (2 * j + part >= size) break;
      result.bits[(i * size + 2 * j + part) * inner + k] = words[part] & mask;
    }
  }
  return result;
}

RandomBitsResult PhiloxBits(uint64_t key, unsigned __int128 counter,
                            int64_t count, int width) {
  RandomBitsResult result;
  result.bits.reserve(count);
  const int64_t per_block = width == 64 ? 2 : 4;
  result.blocks = (count + per_block - 1) / per_block;
  const uint64_t mask = (uint64_t{1} << std::min(width, 32)) - 1;
  for (uint64_t block = 0; block < result.blocks; ++block) {
    const std::array<uint32_t, 4> words = Philox(key, counter + block);
    for (int64_t i = 0; i < per_block; ++i) {
      if (static_cast<int64_t>(result.bits.size()) == count) break;
      result.bits.push_back(width == 64
                                ? Join(words[2 * i], words[2 * i + 1])
                                : words[i] & mask);
    }
  }
  return result;
}

}  // namespace hlokit::interpreter
