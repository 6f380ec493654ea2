// rng-bit-generator: several blocks of the counter at once. Which block gives
// which element stands in backends/interpreter/random_bits.h.
#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {
namespace {

constexpr int kBlocksAtOnce = 16;

// words[w][i] is word w of block counter + i.
void PhiloxBlocksBody(uint64_t key, uint64_t low,
                                         uint64_t high,
                                         uint32_t (*words)[kBlocksAtOnce]) {
  uint32_t x0[kBlocksAtOnce], x1[kBlocksAtOnce];
  uint32_t x2[kBlocksAtOnce], x3[kBlocksAtOnce];
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    const uint64_t at = low + i;
    const uint64_t top = high + (at < low ? 1 : 0);
    x0[i] = static_cast<uint32_t>(at);
    x1[i] = static_cast<uint32_t>(at >> 32);
    x2[i] = static_cast<uint32_t>(top);
    x3[i] = static_cast<uint32_t>(top >> 32);
  }
  uint32_t key0 = static_cast<uint32_t>(key);
  uint32_t key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kBlocksAtOnce; ++i) {
      const uint64_t a = uint64_t{0xD2511F53} * x0[i];
      const uint64_t b = uint64_t{0xCD9E8D57} * x2[i];
      x0[i] = static_cast<uint32_t>(b >> 32) ^ x1[i] ^ key0;
      x1[i] = static_cast<uint32_t>(b);
      x2[i] = static_cast<uint32_t>(a >> 32) ^ x3[i] ^ key1;
      x3[i] = static_cast<uint32_t>(a);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    words[0][i] = x0[i];
    words[1][i] = x1[i];
    words[2][i] = x2[i];
    words[3][i] = x3[i];
  }
}
#if defined(__x86_64__)
// The compiler does not find the multiplication of every other element.
HLOKIT_SIMD_AVX2 void PhiloxBlocksAvx2(uint64_t key, uint64_t low,
                                       uint64_t high,
                                       uint32_t (*words)[kBlocksAtOnce]) {
  typedef uint32_t V __attribute__((vector_size(32)));
  typedef int32_t W __attribute__((vector_size(32)));
  typedef uint64_t D __attribute__((vector_size(32)));
  const V kFirst = V{} + 0xD2511F53u, kSecond = V{} + 0xCD9E8D57u;
  const D kUpper = D{} + 0xFFFFFFFF00000000u;
  constexpr int kVectors = kBlocksAtOnce / 8;
  V x[4][kVectors];
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    const uint64_t at = low + i;
    const uint64_t top = high + (at < low ? 1 : 0);
    words[0][i] = static_cast<uint32_t>(at);
    words[1][i] = static_cast<uint32_t>(at >> 32);
    words[2][i] = static_cast<uint32_t>(top);
    words[3][i] = static_cast<uint32_t>(top >> 32);
  }
  for (int w = 0; w < 4; ++w) {
    for (int v = 0; v < kVectors; ++v) {
      __builtin_memcpy(&x[w][v], words[w] + 8 * v, 32);
    }
  }
  V key0 = V{} + static_cast<uint32_t>(key);
  V key1 = V{} + static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      V low_half[2], high_half[2];
#pragma GCC unroll 2
      for (int m = 0; m < 2; ++m) {
        const V value = m == 0 ? x[0][v] : x[2][v];
        const V factor = m == 0 ? kFirst : kSecond;
        const D even = (D)__builtin_ia32_pmuludq256((W)value, (W)factor);
        const D odd = (D)__builtin_ia32_pmuludq256((W)((D)value >> 32),
                                                   (W)factor);
        low_half[m] = (V)((even & ~kUpper) | (odd << 32));
        high_half[m] = (V)((even >> 32) | (odd & kUpper));
      }
      const V x1 = x[1][v], x3 = x[3][v];
      x[0][v] = high_half[1] ^ x1 ^ key0;
      x[1][v] = low_half[1];
      x[2][v] = high_half[0] ^ x3 ^ key1;
      x[3][v] = low_half[0];
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int w = 0; w < 4; ++w) {
    for (int v = 0; v < kVectors; ++v) {
      __builtin_memcpy(words[w] + 8 * v, &x[w][v], 32);
    }
  }
}
#endif

void PhiloxBlocks(uint64_t key, uint64_t low, uint64_t high,
                  uint32_t (*words)[kBlocksAtOnce]) {
#if defined(__x86_64__)
  if (HasAvx2()) return PhiloxBlocksAvx2(key, low, high, words);
#endif
  PhiloxBlocksBody(key, low, high, words);
}

HLOKIT_SIMD_INLINE void ThreeFryBlocksBody(uint64_t key, uint64_t counter,
                                           uint32_t (*words)[kBlocksAtOnce]) {
  using V = Simd<uint32_t>;
  const uint32_t keys[3] = {
      static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32),
      static_cast<uint32_t>(key) ^ static_cast<uint32_t>(key >> 32) ^
          0x1BD11BDAu};
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr int kVectors = kBlocksAtOnce / 8;
  uint32_t start0[kBlocksAtOnce], start1[kBlocksAtOnce];
  for (int i = 0; i < kBlocksAtOnce; ++i) {
    const uint64_t at = counter + i;
    start0[i] = static_cast<uint32_t>(at) + keys[0];
    start1[i] = static_cast<uint32_t>(at >> 32) + keys[1];
  }
  V x0[kVectors], x1[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    x0[v] = LoadVector<V>(start0 + 8 * v);
    x1[v] = LoadVector<V>(start1 + 8 * v);
  }
#pragma GCC unroll 5
  for (uint32_t group = 0; group < 5; ++group) {
#pragma GCC unroll 4
    for (int step = 0; step < 4; ++step) {
      const int rotation = kRotations[group % 2][step];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        x0[v] += x1[v];
        x1[v] = (x1[v] << rotation | x1[v] >> (32 - rotation)) ^ x0[v];
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      x0[v] += keys[(group + 1) % 3];
      x1[v] += keys[(group + 2) % 3] + group + 1;
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    StoreVector(words[0] + 8 * v, x0[v]);
    StoreVector(words[1] + 8 * v, x1[v]);
  }
}
HLOKIT_SIMD_KERNEL(void, ThreeFryBlocks, ThreeFryBlocksBody,
                   (uint64_t key, uint64_t counter,
                    uint32_t (*words)[kBlocksAtOnce]),
                   (key, counter, words))

void PutBits(char* to, int64_t bytes, uint32_t word) {
  std::memcpy(to, &word, bytes);  // little endian: the low bits
}

class RandomBitsKernel : public NativeKernel {
 public:
  RandomBitsKernel(bool three_fry, int64_t state_words, const ArrayView& bits,
                   bool tuple)
      : three_fry_(three_fry), state_words_(state_words), bits_(bits),
        tuple_(tuple) {
    // Of ThreeFry: the dimension that is halved.
    size_t split = 0;
    const auto& sizes = bits.sizes;
    while (split < sizes.size() && sizes[split] % 2 != 0) ++split;
    if (split == sizes.size() && !sizes.empty()) {
      split = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      (d < split ? outer_ : d == split ? size_ : inner_) *= sizes[d];
    }
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    uint64_t state[3] = {};
    std::memcpy(state, operands[0], state_words_ * 8);
    char* bits = static_cast<char*>(results[tuple_ ? 1 : 0]);
    const uint64_t high = state_words_ > 2 ? state[2] : state[0];
    const int64_t blocks = Blocks();
    context.pool->ParallelFor(
        (blocks + kBlocksAtOnce - 1) / kBlocksAtOnce, 1 << 10,
        [&](int64_t begin, int64_t end) {
          uint32_t words[4][kBlocksAtOnce];
          for (int64_t g = begin; g < end; ++g) {
            const int64_t first = g * kBlocksAtOnce;
            const int64_t count =
                std::min<int64_t>(kBlocksAtOnce, blocks - first);
            const uint64_t low = state[1] + first;
            if (three_fry_) {
              ThreeFryBlocks(state[0], low, words);
              StoreThreeFry(words, first, count, bits);
            } else {
              PhiloxBlocks(state[0], low, high + (low < state[1] ? 1 : 0),
                           words);
              StorePhilox(words, first, count, bits);
            }
          }
        });
    if (!tuple_) return absl::OkStatus();
    const uint64_t before = state[1];
    state[1] += blocks;
    if (!three_fry_ && state_words_ > 2 && state[1] < before) ++state[2];
    std::memcpy(results[0], state, state_words_ * 8);
    return absl::OkStatus();
  }

 private:
  int64_t Blocks() const {
    if (!three_fry_) {
      const int64_t each = bits_.element_bytes == 8 ? 2 : 4;
      return (bits_.elements + each - 1) / each;
    }
    return bits_.element_bytes == 8 ? bits_.elements
                                    : outer_ * ((size_ + 1) / 2) * inner_;
  }

  void StorePhilox(const uint32_t (*words)[kBlocksAtOnce], int64_t first,
                   int64_t count, char* bits) const {
    const int64_t bytes = bits_.element_bytes;
    // Words in the order of the elements.
    uint32_t ordered[4 * kBlocksAtOnce];
    for (int64_t i = 0; i < kBlocksAtOnce; ++i) {
      for (int w = 0; w < 4; ++w) ordered[4 * i + w] = words[w][i];
    }
    if (bytes >= 4) {
      const int64_t start = 16 * first;
      std::memcpy(bits + start, ordered,
                  std::min(16 * count, bits_.bytes() - start));
      return;
    }
    const int64_t end = std::min(4 * (first + count), bits_.elements);
    for (int64_t i = 4 * first; i < end; ++i) {
      PutBits(bits + i * bytes, bytes, ordered[i - 4 * first]);
    }
  }

  void StoreThreeFry(const uint32_t (*words)[kBlocksAtOnce], int64_t first,
                     int64_t count, char* bits) const {
    const int64_t bytes = bits_.element_bytes;
    const int64_t half = (size_ + 1) / 2;
    if (bytes == 8 || (bytes == 4 && inner_ == 1 && size_ % 2 == 0)) {
      uint32_t ordered[2 * kBlocksAtOnce];
      for (int64_t i = 0; i < kBlocksAtOnce; ++i) {
        ordered[2 * i] = words[0][i];
        ordered[2 * i + 1] = words[1][i];
      }
      std::memcpy(bits + 8 * first, ordered, 8 * count);
      return;
    }
    for (int64_t b = 0; b < count; ++b) {
      const int64_t block = first + b;
      const int64_t i = block / (half * inner_);
      const int64_t j = block / inner_ % half;
      const int64_t k = block % inner_;
      for (int64_t part = 0; part < 2 && 2 * j + part < size_; ++part) {
        PutBits(bits + ((i * size_ + 2 * j + part) * inner_ + k) * bytes,
                bytes, words[part][b]);
      }
    }
  }

  bool three_fry_;
  int64_t state_words_;
  ArrayView bits_;
  bool tuple_;
  int64_t outer_ = 1, size_ = 1, inner_ = 1;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeRngBitGeneratorKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const Shape& shape = instruction.shape();
  const bool tuple = shape.IsTuple();
  if (tuple && shape.tuple_shapes().size() != 2) return nullptr;
  const auto state = ViewOf(instruction.operand(0)->shape());
  const auto bits = ViewOf(tuple ? shape.tuple_shape(1) : shape);
  if (!state || !bits || state->type != kU64 || state->elements < 2 ||
      state->elements > 3 || !IsRowMajor(*bits) || BitWidth(bits->type) < 8 ||
      (!IsIntegerType(bits->type) && !IsFloatType(bits->type)) ||
      (tuple && !ShapesCompatible(instruction.operand(0)->shape(),
                                  shape.tuple_shape(0)))) {
    return nullptr;
  }
  const auto algorithm = static_cast<RandomAlgorithm>(
      instruction.attrs().GetInt(AttrId::kRngAlgorithm));
  return std::make_unique<RandomBitsKernel>(
      algorithm == RandomAlgorithm::kThreeFry, state->elements, *bits, tuple);
}

}  // namespace hlokit::cpu
