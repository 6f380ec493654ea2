// The innermost loops of matrix products: a tile of the result in registers.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_GEMM_TILES_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_GEMM_TILES_H_

#include <complex>
#include <cstdint>

#include "backends/cpu/kernels/simd.h"

namespace hlokit::cpu {

// c[kRows, width] (+)= a[kRows, k] * b[k, width]: element (r, p) of a lies at
// r * a_row + p * a_step, row p of b at p * b_step, row r of c at r * c_row.
template <typename A, typename B, typename C>
using GemmTileFunction = void (*)(int64_t k, const A* a, int64_t a_row,
                                  int64_t a_step, const B* b, int64_t b_step,
                                  C* c, int64_t c_row, bool accumulate);

template <typename T, int kRows, int kVectors>
HLOKIT_SIMD_INLINE void RealTileBody(int64_t k, const T* a, int64_t a_row,
                                     int64_t a_step, const T* b,
                                     int64_t b_step, T* c, int64_t c_row,
                                     bool accumulate) {
  using V = Simd<T>;
  constexpr int kLanes = 32 / sizeof(T);
  V sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[r][v] = V{};
  }
  const T* low = a;
  const T* high = a + 3 * a_row;
  for (int64_t p = 0; p < k; ++p) {
    V right[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      right[v] = LoadVector<V>(b + v * kLanes);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const T left = r < 3 ? low[r * a_row] : high[(r - 3) * a_row];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] += left * right[v];
    }
    low += a_step;
    high += a_step;
    b += b_step;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      T* place = c + r * c_row + v * kLanes;
      StoreVector(place,
                  accumulate ? LoadVector<V>(place) + sums[r][v] : sums[r][v]);
    }
  }
}

template <typename T, int kRows, int kVectors>
HLOKIT_SIMD_AVX2 void RealTileAvx2(int64_t k, const T* a, int64_t a_row,
                                   int64_t a_step, const T* b, int64_t b_step,
                                   T* c, int64_t c_row, bool accumulate) {
  RealTileBody<T, kRows, kVectors>(k, a, a_row, a_step, b, b_step, c, c_row,
                                   accumulate);
}
template <typename T, int kRows, int kVectors>
void RealTilePlain(int64_t k, const T* a, int64_t a_row, int64_t a_step,
                   const T* b, int64_t b_step, T* c, int64_t c_row,
                   bool accumulate) {
  RealTileBody<T, kRows, kVectors>(k, a, a_row, a_step, b, b_step, c, c_row,
                                   accumulate);
}

// b holds the real parts of a row, then the imaginary ones.
template <typename T, int kRows>
HLOKIT_SIMD_INLINE void ComplexTileBody(int64_t k, const std::complex<T>* a,
                                        int64_t a_row, int64_t a_step,
                                        const T* b, int64_t b_step,
                                        std::complex<T>* c, int64_t c_row,
                                        bool accumulate) {
  using V = Simd<T>;
  constexpr int kLanes = 32 / sizeof(T);
  V re[kRows], im[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) re[r] = im[r] = V{};
  for (int64_t p = 0; p < k; ++p) {
    const V right_re = LoadVector<V>(b);
    const V right_im = LoadVector<V>(b + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const T* left = reinterpret_cast<const T*>(a + r * a_row);
      re[r] += left[0] * right_re;
      im[r] += left[0] * right_im;
      re[r] -= left[1] * right_im;
      im[r] += left[1] * right_re;
    }
    a += a_step;
    b += b_step;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    T* place = reinterpret_cast<T*>(c + r * c_row);
    for (int i = 0; i < kLanes; ++i) {
      place[2 * i] = accumulate ? place[2 * i] + re[r][i] : re[r][i];
      place[2 * i + 1] = accumulate ? place[2 * i + 1] + im[r][i] : im[r][i];
    }
  }
}
template <typename T, int kRows>
HLOKIT_SIMD_AVX2 void ComplexTileAvx2(int64_t k, const std::complex<T>* a,
                                      int64_t a_row, int64_t a_step,
                                      const T* b, int64_t b_step,
                                      std::complex<T>* c, int64_t c_row,
                                      bool accumulate) {
  ComplexTileBody<T, kRows>(k, a, a_row, a_step, b, b_step, c, c_row,
                            accumulate);
}
template <typename T, int kRows>
void ComplexTilePlain(int64_t k, const std::complex<T>* a, int64_t a_row,
                      int64_t a_step, const T* b, int64_t b_step,
                      std::complex<T>* c, int64_t c_row, bool accumulate) {
  ComplexTileBody<T, kRows>(k, a, a_row, a_step, b, b_step, c, c_row,
                            accumulate);
}

#if defined(__x86_64__)
// Pairs of 16-bit integers: a's rows hold them one after another (a_step 2), of
// b each row holds two of k for each column.
template <int kRows>
HLOKIT_SIMD_AVX2 void PairTileAvx2(int64_t k, const int16_t* a, int64_t a_row,
                                   int64_t a_step, const int16_t* b,
                                   int64_t b_step, int32_t* c, int64_t c_row,
                                   bool accumulate) {
  typedef short V __attribute__((vector_size(32)));  // NOLINT
  typedef int W __attribute__((vector_size(32)));
  W sums[kRows][2];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = W{};
  for (int64_t p = 0; p < k; p += 2) {
    const V right0 = LoadVector<V>(b);
    const V right1 = LoadVector<V>(b + 16);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int32_t pair;
      __builtin_memcpy(&pair, a + r * a_row, 4);
      const W all = W{} + pair;
      V left;
      __builtin_memcpy(&left, &all, 32);
      sums[r][0] +=
          reinterpret_cast<W>(__builtin_ia32_pmaddwd256(left, right0));
      sums[r][1] +=
          reinterpret_cast<W>(__builtin_ia32_pmaddwd256(left, right1));
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
                  accumulate ? LoadVector<W>(place) + sums[r][v] : sums[r][v]);
    }
  }
}
#endif

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_GEMM_TILES_H_
