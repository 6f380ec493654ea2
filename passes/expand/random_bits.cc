#include "passes/expand/random_bits.h"

#include <algorithm>
#include <array>
#include <vector>

namespace hlokit {
namespace {

using Words = std::vector<Instruction*>;

Instruction* Low(Instruction* x, Emitter& e) { return e.Convert(x, kU32); }
Instruction* High(Instruction* x, Emitter& e) {
  return e.Convert(e.ShiftRight(x, 32), kU32);
}
Instruction* Join(Instruction* low, Instruction* high, Emitter& e) {
  return e.Or(e.Convert(low, kU64), e.ShiftLeft(e.Convert(high, kU64), 32));
}
Instruction* U32(uint32_t value, Emitter& e) {
  return e.ScalarInt(kU32, value);
}
Instruction* RotateLeft(Instruction* x, int bits, Emitter& e) {
  return e.Or(e.ShiftLeft(x, bits), e.ShiftRight(x, 32 - bits));
}

int64_t Product(Dims sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

Words ThreeFry(Instruction* key, Instruction* counter, Emitter& e) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Instruction* keys[3] = {Low(key, e), High(key, e), nullptr};
  keys[2] = e.Xor(e.Xor(keys[0], keys[1]), U32(0x1BD11BDA, e));
  Instruction* x0 = e.Add(Low(counter, e), keys[0]);
  Instruction* x1 = e.Add(High(counter, e), keys[1]);
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 = e.Add(x0, x1);
      x1 = e.Xor(RotateLeft(x1, rotation, e), x0);
    }
    x0 = e.Add(x0, keys[(group + 1) % 3]);
    x1 = e.Add(x1, e.Add(keys[(group + 2) % 3], U32(group + 1, e)));
  }
  return {x0, x1};
}

Words Philox(Instruction* key, Counter128 counter, Emitter& e) {
  Words x = {Low(counter.low, e), High(counter.low, e), Low(counter.high, e),
             High(counter.high, e)};
  Instruction* key0 = Low(key, e);
  Instruction* key1 = High(key, e);
  const auto product = [&](Instruction* word, uint32_t factor) {
    return e.Multiply(e.Convert(word, kU64), e.ScalarInt(kU64, factor));
  };
  for (int round = 0; round < 10; ++round) {
    Instruction* a = product(x[0], 0xD2511F53);
    Instruction* b = product(x[2], 0xCD9E8D57);
    x = {e.Xor(e.Xor(High(b, e), x[1]), key0), Low(b, e),
         e.Xor(e.Xor(High(a, e), x[3]), key1), Low(a, e)};
    key0 = e.Add(key0, U32(0x9E3779B9, e));
    key1 = e.Add(key1, U32(0xBB67AE85, e));
  }
  return x;
}

size_t SplitDimension(Dims sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] % 2 == 0) return i;
  }
  return std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
}

}  // namespace

RandomBits ThreeFryBits(Instruction* key, Instruction* counter, Dims sizes,
                        int width, Emitter& e) {
  const bool wide = width == 64;
  std::vector<int64_t> whole(sizes.begin(), sizes.end());
  if (whole.empty()) whole.push_back(1);
  const size_t split = SplitDimension(whole);
  std::vector<int64_t> half = whole;
  if (!wide) half[split] = (half[split] + 1) / 2;
  const int64_t blocks = Product(half);
  Instruction* numbers = e.Reshape(e.Iota(kU64, {blocks}, 0), half);
  const Words words = ThreeFry(key, e.Add(numbers, counter), e);
  if (wide) {
    return {e.Reshape(Join(words[0], words[1], e), sizes), blocks};
  }
  // The words of a block side by side.
  std::vector<int64_t> apart = half;
  apart.insert(apart.begin() + split + 1, 1);
  Words parts;
  for (Instruction* word : words) parts.push_back(e.Reshape(word, apart));
  std::vector<int64_t> doubled = half;
  doubled[split] *= 2;
  Instruction* bits = e.Reshape(e.Concatenate(parts, split + 1), doubled);
  bits = e.SliceInDim(bits, split, 0, whole[split]);
  return {e.Reshape(bits, sizes), blocks};
}

Counter128 Advance(Counter128 counter, Instruction* steps, Emitter& e) {
  Instruction* low = e.Add(counter.low, steps);
  Instruction* carry =
      e.Convert(e.Compare(ComparisonDirection::kLt, low, counter.low), kU64);
  return {low, e.Add(carry, counter.high)};
}

RandomBits PhiloxBits(Instruction* key, Counter128 counter, Dims sizes,
                      int width, Emitter& e) {
  const int64_t count = Product(sizes);
  const int64_t per_block = width == 64 ? 2 : 4;
  const int64_t blocks = (count + per_block - 1) / per_block;
  Words words =
      Philox(key, Advance(counter, e.Iota(kU64, {blocks}, 0), e), e);
  if (width == 64) {
    words = {Join(words[0], words[1], e), Join(words[2], words[3], e)};
  }
  for (Instruction*& word : words) word = e.Reshape(word, {blocks, 1});
  Instruction* bits =
      e.Reshape(e.Concatenate(words, 1), {blocks * per_block});
  return {e.Reshape(e.SliceInDim(bits, 0, 0, count), sizes), blocks};
}

}  // namespace hlokit
