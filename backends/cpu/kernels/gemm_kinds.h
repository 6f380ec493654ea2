// The kinds of matrix products: how blocks of the operands are packed, and which
// tile works on them.
//
// A kind has
//   Packed       what blocks of the operands are converted to
//   kPackedType  the element type whose elements are Packed as they lie
//   Right        what packed rows of rhs are made of, kRightPerColumn for each
//                column
//   Sum          what the result is summed in
//   kMaxRows, kWidth   the largest tile
//   kDepthStep   how many of k a tile takes at once
//   TileOf<n>()  the function for a tile of n rows, in the best code that this
//                processor has for it
//   PackColumns, or PackColumnPairs where kDepthStep is 2
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_GEMM_KINDS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_GEMM_KINDS_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/base/casts.h"
#include "backends/cpu/kernels/gemm_tiles.h"
#include "backends/cpu/kernels/pair_tiles.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

// In registers of kBytes.
template <typename T, int kBytes>
struct RealGemm {
  using Packed = T;
  using Right = T;
  using Sum = T;
  static constexpr PrimitiveType kPackedType =
      std::is_same_v<T, uint64_t> ? kU64 : PrimitiveTypeOf<T>();
  // As many sums as there are registers for.
  static constexpr int kMaxRows = kBytes == 64 ? 12 : 6;
  static constexpr int kWidth = 2 * kBytes / sizeof(T);
  static constexpr int kRightPerColumn = 1;
  static constexpr int kDepthStep = 1;
  using Tile = GemmTileFunction<T, T, T>;

  template <int kRows>
  static Tile TileOf() {
    if (kBytes == 64 && HostIsa() >= Isa::kAvx512) {
      return &RealTileAvx512<T, kBytes, kRows>;
    }
    return HasAvx2() ? &RealTileAvx2<T, kBytes, kRows>
                     : &RealTilePlain<T, kBytes, kRows>;
  }
  // One row of rhs for a strip of kWidth columns.
  static void PackColumns(const T* from, T* to) {
    std::memcpy(to, from, kWidth * sizeof(T));
  }
};

template <typename T>
struct ComplexGemm {
  using Packed = std::complex<T>;
  using Right = T;
  using Sum = std::complex<T>;
  static constexpr PrimitiveType kPackedType = PrimitiveTypeOf<Packed>();
  static constexpr int kMaxRows = 4;
  static constexpr int kWidth = 32 / sizeof(T);
  static constexpr int kRightPerColumn = 2;
  static constexpr int kDepthStep = 1;
  using Tile = GemmTileFunction<Packed, T, Sum>;

  template <int kRows>
  static Tile TileOf() {
    return HasAvx2() ? &ComplexTileAvx2<T, kRows> : &ComplexTilePlain<T, kRows>;
  }
  static void PackColumns(const Packed* from, T* to) {
    for (int i = 0; i < kWidth; ++i) {
      to[i] = from[i].real();
      to[kWidth + i] = from[i].imag();
    }
  }
};

// What the kinds of pairs have in common.
template <typename T, int kColumns>
struct Pairs {
  using Packed = T;
  using Right = T;
  static constexpr int kWidth = kColumns;
  static constexpr int kRightPerColumn = 1;
  static constexpr int kDepthStep = 2;

  // Two rows of rhs.
  static void PackColumnPairs(const T* even, const T* odd, T* to) {
    for (int i = 0; i < kWidth; ++i) {
      to[2 * i] = even[i];
      to[2 * i + 1] = odd[i];
    }
  }
};

inline int32_t WidenInteger(int16_t x) { return x; }

// Pairs of 16-bit integers.
template <int kBytes>
struct IntegerPairs : Pairs<int16_t, kBytes / 2> {
  using Sum = int32_t;
  static constexpr PrimitiveType kPackedType = kS16;
  static constexpr int kMaxRows = kBytes == 64 ? 12 : 6;
  using Tile = GemmTileFunction<int16_t, int16_t, int32_t>;

  template <int kRows>
  static Tile TileOf() {
#if defined(__x86_64__)
    if (kBytes == 64 && HostIsa() >= Isa::kAvx512Vnni) {
      return &PairTileVnni<kRows>;
    }
    if (kBytes == 64 && HostIsa() >= Isa::kAvx512) {
      return &PairTileAvx512<kRows>;
    }
    if (kBytes == 32 && HasAvx2()) return &PairTileAvx2<kRows>;
#endif
    return &PairTilePlain<int16_t, int32_t, WidenInteger, kBytes / 2, kRows>;
  }
};

inline float WidenBf16(uint16_t bits) {
  return absl::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Pairs of bf16, in 512-bit registers or AMX's tiles. Both take denormals for
// zero, whatever the mode.
template <bool kAmx>
struct Bf16Pairs : Pairs<uint16_t, 32> {
  using Sum = float;
  static constexpr PrimitiveType kPackedType = kBF16;
  static constexpr int kMaxRows = kAmx ? 32 : 12;
  using Tile = GemmTileFunction<uint16_t, uint16_t, float>;

  template <int kRows>
  static Tile TileOf() {
#if defined(__x86_64__)
    if (kAmx && HostIsa() >= Isa::kAmx) return &Bf16TileAmx<kRows>;
    if (!kAmx && HostIsa() >= Isa::kAvx512Bf16) return &Bf16Tile<kRows>;
#endif
    return &PairTilePlain<uint16_t, float, WidenBf16, 32, kRows>;
  }
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_GEMM_KINDS_H_
