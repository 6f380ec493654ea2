// Transposes in registers.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_TRANSPOSE_TILE_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_TRANSPOSE_TILE_H_

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "backends/cpu/kernels/simd.h"

namespace hlokit::cpu {

// Elements that need not be aligned: two narrow ones may move as one.
template <typename T>
struct __attribute__((packed, may_alias)) MoveUnit {
  using Value = T;
  T value;
};
// kN x kN elements, transposed in registers: rounds of interleaving the first
// half of the rows with the second.
// With kStream the target is aligned and written past the caches.
template <typename T, bool kStream>
HLOKIT_SIMD_INLINE void TransposeTile(const T* source, int64_t source_stride,
                                      T* target, int64_t target_stride) {
  constexpr int kN = 16 / sizeof(T);
  using V = Simd<typename T::Value, 16>;
  V rows[kN], next[kN];
  for (int i = 0; i < kN; ++i) {
    rows[i] = LoadVector<V>(source + i * source_stride);
  }
  constexpr int kRounds = kN == 16 ? 4 : kN == 8 ? 3 : kN == 4 ? 2 : 1;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kN / 2; ++i) {
      const V a = rows[i], b = rows[i + kN / 2];
      if constexpr (kN == 16) {
        next[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19,
                                              4, 20, 5, 21, 6, 22, 7, 23);
        next[2 * i + 1] =
            __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                    13, 29, 14, 30, 15, 31);
      } else if constexpr (kN == 8) {
        next[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
        next[2 * i + 1] =
            __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      } else if constexpr (kN == 4) {
        next[2 * i] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        next[2 * i + 1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      } else {
        next[2 * i] = __builtin_shufflevector(a, b, 0, 2);
        next[2 * i + 1] = __builtin_shufflevector(a, b, 1, 3);
      }
    }
    for (int i = 0; i < kN; ++i) rows[i] = next[i];
  }
  for (int i = 0; i < kN; ++i) {
    void* to = target + i * target_stride;
#if defined(__x86_64__)
    if constexpr (kStream) {
      __m128i bits;
      __builtin_memcpy(&bits, &rows[i], 16);
      _mm_stream_si128(static_cast<__m128i*>(to), bits);
      continue;
    }
#endif
    StoreVector<V>(to, rows[i]);
  }
}

// target[r * target_stride + c] = source[c * source_stride + r] for c < columns
// (the target's fastest) and r < rows (the source's). Lines of the target are
// written in whole: as many tiles side by side as they hold.
template <typename T>
void TransposeBlock(const T* source, int64_t source_stride, T* target,
                    int64_t target_stride, int64_t rows, int64_t columns,
                    bool stream = false) {
  if constexpr (sizeof(T) == 16) {
    for (int64_t c = 0; c < columns; c += 4) {
      const int64_t end = std::min<int64_t>(4, columns - c);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t k = c; k < c + end; ++k) {
          target[r * target_stride + k] = source[k * source_stride + r];
        }
      }
    }
    return;
  } else {
    constexpr int64_t kN = 16 / sizeof(T);
    constexpr int64_t kWide = 64 / sizeof(T);
    const int64_t whole_rows = rows - rows % kN;
    stream = stream && reinterpret_cast<uintptr_t>(target) % 16 == 0 &&
             target_stride % kN == 0;
    int64_t c = 0;
    while (c + kN <= columns) {
      const int64_t width = c + kWide <= columns ? kWide : kN;
      for (int64_t r = 0; r < whole_rows; r += kN) {
        for (int64_t k = 0; k < width; k += kN) {
          const T* from = source + (c + k) * source_stride + r;
          T* to = target + r * target_stride + c + k;
          if (stream) {
            TransposeTile<T, true>(from, source_stride, to, target_stride);
          } else {
            TransposeTile<T, false>(from, source_stride, to, target_stride);
          }
        }
      }
      for (int64_t r = whole_rows; r < rows; ++r) {
        for (int64_t k = c; k < c + width; ++k) {
          target[r * target_stride + k] = source[k * source_stride + r];
        }
      }
      c += width;
    }
    for (; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r) {
        target[r * target_stride + c] = source[c * source_stride + r];
      }
    }
#if defined(__x86_64__)
    // Other threads see all of it.
    if (stream) __builtin_ia32_sfence();
#endif
  }
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_TRANSPOSE_TILE_H_
