// Tiles of matrix products by instructions that multiply pairs and add both
// products: of 16-bit integers (AVX2, AVX-512, VNNI) and of bf16 (AVX-512 BF16,
// AMX). Parameters are those of PairTilePlain.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_PAIR_TILES_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_PAIR_TILES_H_

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels/simd.h"

namespace hlokit::cpu {

// The pair at `from`, as one number.
HLOKIT_SIMD_INLINE int32_t PairAt(const void* from) {
  int32_t pair;
  __builtin_memcpy(&pair, from, 4);
  return pair;
}

template <int kRows>
HLOKIT_SIMD_AVX2 void PairTileAvx2(int64_t k, const int16_t* a, int64_t a_row,
                                   int64_t a_step, const int16_t* b,
                                   int64_t b_step, int32_t* c, int64_t c_row,
                                   bool accumulate) {
  __m256i sums[kRows][2];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  }
  for (int64_t p = 0; p < k; p += 2) {
    const __m256i right0 = LoadVector<__m256i>(b);
    const __m256i right1 = LoadVector<__m256i>(b + 16);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const __m256i left = _mm256_set1_epi32(PairAt(a + r * a_row));
      sums[r][0] =
          _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(left, right0));
      sums[r][1] =
          _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(left, right1));
    }
    a += 2;
    b += b_step;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      int32_t* place = c + r * c_row + v * 8;
      StoreVector(place,
                  accumulate
                      ? _mm256_add_epi32(LoadVector<__m256i>(place), sums[r][v])
                      : sums[r][v]);
    }
  }
}

// A tile in 512-bit registers: AddPairs(sum, a, b) adds the products of pairs to
// the sums, AddSums adds sums.
#define HLOKIT_PAIR_TILE_512(Name, target_features, T, Sum, V, Zero, AddPairs, \
                             AddSums)                                          \
  template <int kRows>                                                         \
  __attribute__((target(target_features))) void Name(                          \
      int64_t k, const T* a, int64_t a_row, int64_t a_step, const T* b,        \
      int64_t b_step, Sum* c, int64_t c_row, bool accumulate) {                \
    V sums[kRows][2];                                                          \
    _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {                 \
      sums[r][0] = sums[r][1] = Zero();                                        \
    }                                                                          \
    for (int64_t p = 0; p < k; p += 2) {                                       \
      const __m512i right0 = _mm512_loadu_si512(b);                            \
      const __m512i right1 = _mm512_loadu_si512(b + 32);                       \
      _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {               \
        const __m512i left = _mm512_set1_epi32(PairAt(a + r * a_row));         \
        sums[r][0] = AddPairs(sums[r][0], left, right0);                       \
        sums[r][1] = AddPairs(sums[r][1], left, right1);                       \
      }                                                                        \
      a += 2;                                                                  \
      b += b_step;                                                             \
    }                                                                          \
    _Pragma("GCC unroll 16") for (int r = 0; r < kRows; ++r) {                 \
      for (int v = 0; v < 2; ++v) {                                            \
        Sum* place = c + r * c_row + v * 16;                                   \
        V sum = sums[r][v];                                                    \
        if (accumulate) {                                                      \
          V before;                                                            \
          __builtin_memcpy(&before, place, 64);                                \
          sum = AddSums(before, sum);                                          \
        }                                                                      \
        __builtin_memcpy(place, &sum, 64);                                     \
      }                                                                        \
    }                                                                          \
  }

#define HLOKIT_MADD_EPI16(sum, a, b) \
  _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#define HLOKIT_DPBF16(sum, a, b)                       \
  _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), \
                   reinterpret_cast<__m512bh>(b))
HLOKIT_PAIR_TILE_512(PairTileAvx512, "avx512f,avx512bw", int16_t, int32_t,
                     __m512i, _mm512_setzero_si512, HLOKIT_MADD_EPI16,
                     _mm512_add_epi32)
HLOKIT_PAIR_TILE_512(PairTileVnni, "avx512f,avx512bw,avx512vnni", int16_t,
                     int32_t, __m512i, _mm512_setzero_si512,
                     _mm512_dpwssd_epi32, _mm512_add_epi32)
HLOKIT_PAIR_TILE_512(Bf16Tile, "avx512f,avx512bw,avx512bf16", uint16_t, float,
                     __m512, _mm512_setzero_ps, HLOKIT_DPBF16, _mm512_add_ps)
#undef HLOKIT_DPBF16
#undef HLOKIT_MADD_EPI16
#undef HLOKIT_PAIR_TILE_512

// What LDTILECFG loads: rows and bytes a row of each of eight tiles.
struct alignas(64) AmxTiles {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// AMX: up to 32 rows and 32 columns of sums in tiles 0 to 3, those of the upper
// 16 rows first; tiles 4 and 5 hold 32 of k of these rows, 6 and 7 the columns.
template <int kRows>
__attribute__((target("amx-tile,amx-bf16,avx512f"))) void Bf16TileAmx(
    int64_t k, const uint16_t* a, int64_t a_row, int64_t a_step,
    const uint16_t* b, int64_t b_step, float* c, int64_t c_row,
    bool accumulate) {
  constexpr int kUpper = std::min(kRows, 16);
  constexpr int kLower = kRows - kUpper;
  constexpr int64_t kStep = 32;
  AmxTiles tiles;
  for (int t = 0; t < 8; ++t) {
    const bool lower = t == 2 || t == 3 || t == 5;
    tiles.rows[t] = t >= 6 ? 16 : lower ? kLower : kUpper;
    tiles.row_bytes[t] = tiles.rows[t] == 0 ? 0 : 64;
  }
  _tile_loadconfig(&tiles);
  const int64_t c_bytes = c_row * 4;
  float* below = c + 16 * c_row;
  if (accumulate) {
    _tile_loadd(0, c, c_bytes);
    _tile_loadd(1, c + 16, c_bytes);
    if constexpr (kLower > 0) {
      _tile_loadd(2, below, c_bytes);
      _tile_loadd(3, below + 16, c_bytes);
    }
  } else {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (kLower > 0) {
      _tile_zero(2);
      _tile_zero(3);
    }
  }
  // The instructions' operands are not seen by the compiler.
#define HLOKIT_AMX_STEP(left, left_row, right, right_row)     \
  do {                                                        \
    asm volatile("" ::: "memory");                            \
    _tile_loadd(4, left, (left_row)*2);                       \
    _tile_loadd(6, right, (right_row)*2);                     \
    _tile_loadd(7, (right) + 32, (right_row)*2);              \
    _tile_dpbf16ps(0, 4, 6);                                  \
    _tile_dpbf16ps(1, 4, 7);                                  \
    if constexpr (kLower > 0) {                               \
      _tile_loadd(5, (left) + 16 * (left_row), (left_row)*2); \
      _tile_dpbf16ps(2, 5, 6);                                \
      _tile_dpbf16ps(3, 5, 7);                                \
    }                                                         \
  } while (false)
  int64_t p = 0;
  for (; p + kStep <= k; p += kStep) {
    HLOKIT_AMX_STEP(a + p, a_row, b + p / 2 * b_step, b_step);
  }
  if (p < k) {
    // The rest, filled up with zeros.
    const int64_t rest = (k - p + 1) / 2 * 2;
    alignas(64) uint16_t left[kRows * kStep] = {};
    alignas(64) uint16_t right[kStep / 2 * 64] = {};
    for (int r = 0; r < kRows; ++r) {
      std::memcpy(left + r * kStep, a + r * a_row + p, rest * 2);
    }
    for (int64_t q = 0; q < rest / 2; ++q) {
      std::memcpy(right + q * 64, b + (p / 2 + q) * b_step, 128);
    }
    HLOKIT_AMX_STEP(left, kStep, right, int64_t{64});
  }
#undef HLOKIT_AMX_STEP
  _tile_stored(0, c, c_bytes);
  _tile_stored(1, c + 16, c_bytes);
  if constexpr (kLower > 0) {
    _tile_stored(2, below, c_bytes);
    _tile_stored(3, below + 16, c_bytes);
  }
  asm volatile("" ::: "memory");
  _tile_release();
}

}  // namespace hlokit::cpu

#endif  // defined(__x86_64__)

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_PAIR_TILES_H_
