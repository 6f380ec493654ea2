#include "backends/cpu/kernels/convert_runs.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "backends/cpu/kernels/simd.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

HLOKIT_SIMD_INLINE void WidenBFloat16Body(const uint16_t* from, float* to,
                                          int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto bits = LoadVector<Simd<uint16_t, 16>>(from + i);
    StoreVector(to + i, __builtin_convertvector(bits, Simd<uint32_t>) << 16);
  }
  for (; i < count; ++i) {
    const uint32_t bits = static_cast<uint32_t>(from[i]) << 16;
    std::memcpy(to + i, &bits, 4);
  }
}
HLOKIT_SIMD_KERNEL(void, WidenBFloat16, WidenBFloat16Body,
                   (const uint16_t* from, float* to, int64_t count),
                   (from, to, count))

// To nearest even; NaN keeps its sign.
HLOKIT_SIMD_INLINE void NarrowBFloat16Body(const float* from, uint16_t* to,
                                           int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto bits = LoadVector<Simd<uint32_t>>(from + i);
    const Simd<uint32_t> rounded =
        (bits + ((bits >> 16) & 1) + 0x7fff) >> 16;
    const Simd<uint32_t> nan = ((bits >> 16) & 0x8000) | 0x7fc0;
    const Simd<uint32_t> result =
        (bits & 0x7fffffff) > 0x7f800000 ? nan : rounded;
    StoreVector(to + i, __builtin_convertvector(result, Simd<uint16_t, 16>));
  }
  for (; i < count; ++i) to[i] = BFloat16(from[i]).bits();
}
HLOKIT_SIMD_KERNEL(void, NarrowBFloat16, NarrowBFloat16Body,
                   (const float* from, uint16_t* to, int64_t count),
                   (from, to, count))

template <typename T>
HLOKIT_SIMD_INLINE void WidenBytesBody(const T* from, int16_t* to,
                                       int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto bytes = LoadVector<Simd<T, 16>>(from + i);
    StoreVector(to + i, __builtin_convertvector(bytes, Simd<int16_t>));
  }
  for (; i < count; ++i) to[i] = from[i];
}
HLOKIT_SIMD_KERNEL(void, WidenSignedBytes, WidenBytesBody,
                   (const int8_t* from, int16_t* to, int64_t count),
                   (from, to, count))
HLOKIT_SIMD_KERNEL(void, WidenUnsignedBytes, WidenBytesBody,
                   (const uint8_t* from, int16_t* to, int64_t count),
                   (from, to, count))

#if defined(__x86_64__)
typedef float EightFloats __attribute__((vector_size(32)));
typedef short EightShorts __attribute__((vector_size(16)));  // NOLINT

HLOKIT_SIMD_AVX2 int64_t WidenHalfAvx2(const uint16_t* from, float* to,
                                       int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    EightShorts bits;
    std::memcpy(&bits, from + i, 16);
    const EightFloats wide = __builtin_ia32_vcvtph2ps256(bits);
    std::memcpy(to + i, &wide, 32);
  }
  return i;
}
HLOKIT_SIMD_AVX2 int64_t NarrowHalfAvx2(const float* from, uint16_t* to,
                                        int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    EightFloats wide;
    std::memcpy(&wide, from + i, 32);
    const EightShorts bits = __builtin_ia32_vcvtps2ph256(wide, 0);
    std::memcpy(to + i, &bits, 16);
  }
  return i;
}
#else
int64_t WidenHalfAvx2(const uint16_t*, float*, int64_t) { return 0; }
int64_t NarrowHalfAvx2(const float*, uint16_t*, int64_t) { return 0; }
#endif

void WidenHalf(const uint16_t* from, float* to, int64_t count) {
  int64_t i = HasAvx2() ? WidenHalfAvx2(from, to, count) : 0;
  for (; i < count; ++i) to[i] = Half::FromBits(from[i]);
}
void NarrowHalf(const float* from, uint16_t* to, int64_t count) {
  int64_t i = HasAvx2() ? NarrowHalfAvx2(from, to, count) : 0;
  for (; i < count; ++i) to[i] = Half(from[i]).bits();
}

// All values of a type of at most 8 bits.
template <typename T>
const float* SmallFloatTable() {
  static const auto* table = [] {
    auto* values = new std::array<float, 256>();
    for (int i = 0; i < 256; ++i) (*values)[i] = T::FromBits(i);
    return values;
  }();
  return table->data();
}

template <typename From, typename To>
constexpr bool Converts() {
  if constexpr (kIsComplex<From>) {
    return kIsComplex<To>;
  } else if constexpr (kIsFloat<From>) {
    return !std::is_integral_v<To>;
  } else {
    return true;
  }
}

template <typename From, typename To>
void ConvertAll(const From* from, To* to, int64_t count) {
  if constexpr (!Converts<From, To>()) {
    return;
  } else if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, count * sizeof(To));
  } else if constexpr (std::is_same_v<To, int16_t> &&
                       std::is_same_v<From, int8_t>) {
    WidenSignedBytes(from, to, count);
  } else if constexpr (std::is_same_v<To, int16_t> &&
                       std::is_same_v<From, uint8_t>) {
    WidenUnsignedBytes(from, to, count);
  } else if constexpr (std::is_same_v<To, float> &&
                       std::is_same_v<From, BFloat16>) {
    WidenBFloat16(reinterpret_cast<const uint16_t*>(from), to, count);
  } else if constexpr (std::is_same_v<To, float> &&
                       std::is_same_v<From, Half>) {
    WidenHalf(reinterpret_cast<const uint16_t*>(from), to, count);
  } else if constexpr (std::is_same_v<To, float> &&
                       IsSmallFloat<From>::value) {
    const float* table = SmallFloatTable<From>();
    const uint8_t* codes = reinterpret_cast<const uint8_t*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = table[codes[i]];
  } else if constexpr (kIsComplex<From>) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  } else if constexpr (kIsComplex<To>) {
    using Part = typename To::value_type;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = To(static_cast<Part>(static_cast<ComputeTypeOf<From>>(from[i])));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = static_cast<To>(static_cast<ComputeTypeOf<From>>(from[i]));
    }
  }
}

template <typename From, typename To>
void StoreAll(const From* from, To* to, int64_t count) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, count * sizeof(To));
  } else if constexpr (kIsPred<To>) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i] != From(0);
  } else if constexpr (std::is_same_v<From, float> &&
                       std::is_same_v<To, BFloat16>) {
    NarrowBFloat16(from, reinterpret_cast<uint16_t*>(to), count);
  } else if constexpr (std::is_same_v<From, float> &&
                       std::is_same_v<To, Half>) {
    NarrowHalf(from, reinterpret_cast<uint16_t*>(to), count);
  } else if constexpr (kIsComplex<From> != kIsComplex<To>) {
    return;
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
}

}  // namespace

template <typename T>
void ConvertRun(PrimitiveType type, const void* from, T* to, int64_t count) {
  DispatchArrayType(type, [&](auto tag) {
    using From = typename decltype(tag)::type;
    ConvertAll(static_cast<const From*>(from), to, count);
  });
}

template <typename T>
void StoreRun(const T* from, PrimitiveType type, void* to, int64_t count) {
  DispatchArrayType(type, [&](auto tag) {
    using To = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<T> || kIsInteger<To> || kIsPred<To>) {
      if constexpr (std::is_integral_v<T> || !kIsInteger<To>) {
        StoreAll(from, static_cast<To*>(to), count);
      }
    }
  });
}

#define HLOKIT_CONVERT_RUN(T)                                              \
  template void ConvertRun<T>(PrimitiveType, const void*, T*, int64_t);    \
  template void StoreRun<T>(const T*, PrimitiveType, void*, int64_t);
HLOKIT_CONVERT_RUN(float)
HLOKIT_CONVERT_RUN(double)
HLOKIT_CONVERT_RUN(int16_t)
HLOKIT_CONVERT_RUN(int32_t)
HLOKIT_CONVERT_RUN(uint64_t)
HLOKIT_CONVERT_RUN(std::complex<float>)
HLOKIT_CONVERT_RUN(std::complex<double>)
#undef HLOKIT_CONVERT_RUN

}  // namespace hlokit::cpu
