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

template <typename T, int kBytes, int kRows>
HLOKIT_SIMD_INLINE void RealTileBody(int64_t k, const T* a, int64_t a_row,
                                     int64_t a_step, const T* b, int64_t b_step,
                                     T* c, int64_t c_row, bool accumulate) {
  using V = Simd<T, kBytes>;
  constexpr int kLanes = kBytes / sizeof(T);
  // Three rows are reached from one address.
  constexpr int kGroups = (kRows + 2) / 3;
  V sums[kRows][2];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = V{};
  const T* groups[kGroups];
#pragma GCC unroll 16
  for (int g = 0; g < kGroups; ++g) groups[g] = a + 3 * g * a_row;
  for (int64_t p = 0; p < k; ++p) {
    const V right0 = LoadVector<V>(b);
    const V right1 = LoadVector<V>(b + kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const T left = groups[r / 3][r % 3 * a_row];
      sums[r][0] += left * right0;
      sums[r][1] += left * right1;
    }
#pragma GCC unroll 16
    for (int g = 0; g < kGroups; ++g) groups[g] += a_step;
    b += b_step;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      T* place = c + r * c_row + v * kLanes;
      StoreVector(place,
                  accumulate ? LoadVector<V>(place) + sums[r][v] : sums[r][v]);
    }
  }
}

template <typename T, int kBytes, int kRows>
HLOKIT_SIMD_AVX512 void RealTileAvx512(int64_t k, const T* a, int64_t a_row,
                                       int64_t a_step, const T* b,
                                       int64_t b_step, T* c, int64_t c_row,
                                       bool accumulate) {
  RealTileBody<T, kBytes, kRows>(k, a, a_row, a_step, b, b_step, c, c_row,
                                 accumulate);
}
template <typename T, int kBytes, int kRows>
HLOKIT_SIMD_AVX2 void RealTileAvx2(int64_t k, const T* a, int64_t a_row,
                                   int64_t a_step, const T* b, int64_t b_step,
                                   T* c, int64_t c_row, bool accumulate) {
  RealTileBody<T, kBytes, kRows>(k, a, a_row, a_step, b, b_step, c, c_row,
                                 accumulate);
}
template <typename T, int kBytes, int kRows>
void RealTilePlain(int64_t k, const T* a, int64_t a_row, int64_t a_step,
                   const T* b, int64_t b_step, T* c, int64_t c_row,
                   bool accumulate) {
  RealTileBody<T, kBytes, kRows>(k, a, a_row, a_step, b, b_step, c, c_row,
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

// Pairs: a's rows hold two of k one after another (a_step 2), of b each row
// holds two of k for each of kWidth columns. This is the tile for processors
// that lack the instructions of pair_tiles.h.
template <typename T, typename Sum, Sum (*kWiden)(T), int kWidth, int kRows>
void PairTilePlain(int64_t k, const T* a, int64_t a_row, int64_t a_step,
                   const T* b, int64_t b_step, Sum* c, int64_t c_row,
                   bool accumulate) {
  for (int r = 0; r < kRows; ++r) {
    Sum sums[kWidth] = {};
    for (int64_t p = 0; p < k; p += 2) {
      const T* left = a + r * a_row + p;
      const T* right = b + p / 2 * b_step;
      for (int i = 0; i < kWidth; ++i) {
        sums[i] += kWiden(left[0]) * kWiden(right[2 * i]) +
                   kWiden(left[1]) * kWiden(right[2 * i + 1]);
      }
    }
    for (int i = 0; i < kWidth; ++i) {
      Sum* place = c + r * c_row + i;
      *place = accumulate ? *place + sums[i] : sums[i];
    }
  }
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_GEMM_TILES_H_
