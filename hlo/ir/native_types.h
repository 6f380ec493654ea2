// The C++ type that holds one element of each HLO element type, and dispatch
// from a PrimitiveType value to that type.
//
//   DispatchArrayType(shape.element_type(), [&](auto tag) {
//     using T = typename decltype(tag)::type;
//     ...
//   });
//
// pred is `bool` (one byte). Integers under 8 bits are SubByteInt, the small
// float kinds SmallFloat (see small_float.h); both convert to and from the
// built-in types explicitly or implicitly where no value can be lost.
#ifndef HLOKIT_HLO_IR_NATIVE_TYPES_H_
#define HLOKIT_HLO_IR_NATIVE_TYPES_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "hlo/ir/primitive_type.h"
#include "hlo/ir/small_float.h"
#include "hlo/ir/sub_byte_int.h"

namespace hlokit {

// HLO_NATIVE(enumerator, C++ type)
#define HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE) \
  HLO_NATIVE(kPred, bool)                       \
  HLO_NATIVE(kS1, S1)                           \
  HLO_NATIVE(kS2, S2)                           \
  HLO_NATIVE(kS4, S4)                           \
  HLO_NATIVE(kS8, int8_t)                       \
  HLO_NATIVE(kS16, int16_t)                     \
  HLO_NATIVE(kS32, int32_t)                     \
  HLO_NATIVE(kS64, int64_t)                     \
  HLO_NATIVE(kU1, U1)                           \
  HLO_NATIVE(kU2, U2)                           \
  HLO_NATIVE(kU4, U4)                           \
  HLO_NATIVE(kU8, uint8_t)                      \
  HLO_NATIVE(kU16, uint16_t)                    \
  HLO_NATIVE(kU32, uint32_t)                    \
  HLO_NATIVE(kU64, uint64_t)                    \
  HLO_NATIVE(kF4E2M1FN, F4E2M1FN)               \
  HLO_NATIVE(kF6E2M3FN, F6E2M3FN)               \
  HLO_NATIVE(kF6E3M2FN, F6E3M2FN)               \
  HLO_NATIVE(kF8E3M4, F8E3M4)                   \
  HLO_NATIVE(kF8E4M3, F8E4M3)                   \
  HLO_NATIVE(kF8E4M3FN, F8E4M3FN)               \
  HLO_NATIVE(kF8E4M3B11FNUZ, F8E4M3B11FNUZ)     \
  HLO_NATIVE(kF8E4M3FNUZ, F8E4M3FNUZ)           \
  HLO_NATIVE(kF8E5M2, F8E5M2)                   \
  HLO_NATIVE(kF8E5M2FNUZ, F8E5M2FNUZ)           \
  HLO_NATIVE(kF8E8M0FNU, F8E8M0FNU)             \
  HLO_NATIVE(kBF16, BFloat16)                   \
  HLO_NATIVE(kF16, Half)                        \
  HLO_NATIVE(kF32, float)                       \
  HLO_NATIVE(kF64, double)                      \
  HLO_NATIVE(kC64, std::complex<float>)         \
  HLO_NATIVE(kC128, std::complex<double>)

template <typename T>
struct NativeTypeTraits;  // ::type is the PrimitiveType
template <PrimitiveType kType>
struct NativeTypeOfImpl;

#define HLO_NATIVE(enumerator, native)                \
  template <>                                         \
  struct NativeTypeTraits<native> {                   \
    static constexpr PrimitiveType type = enumerator; \
  };                                                  \
  template <>                                         \
  struct NativeTypeOfImpl<enumerator> {               \
    using type = native;                              \
  };
HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE)
#undef HLO_NATIVE

template <typename T>
constexpr PrimitiveType PrimitiveTypeOf() {
  return NativeTypeTraits<T>::type;
}
template <PrimitiveType kType>
using NativeTypeOf = typename NativeTypeOfImpl<kType>::type;

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> ||
                                   std::is_same_v<T, std::complex<double>>;
template <typename T>
inline constexpr bool kIsFloat =
    std::is_floating_point_v<T> || IsSmallFloat<T>::value;
template <typename T>
inline constexpr bool kIsInteger = (std::is_integral_v<T> &&
                                    !std::is_same_v<T, bool>) ||
                                   IsSubByteInt<T>::value;
template <typename T>
inline constexpr bool kIsSignedInteger =
    (kIsInteger<T> && std::is_signed_v<T>) || IsSubByteInt<T>::is_signed;
template <typename T>
inline constexpr bool kIsPred = std::is_same_v<T, bool>;

// The built-in type that arithmetic on T is done in: small floats in float,
// sub-byte integers in int32_t/uint32_t, others in T itself.
template <typename T>
using ComputeTypeOf = std::conditional_t<
    IsSmallFloat<T>::value, float,
    std::conditional_t<
        IsSubByteInt<T>::value,
        std::conditional_t<IsSubByteInt<T>::is_signed, int32_t, uint32_t>, T>>;

// Calls fn(std::type_identity<T>{}) for the native type of `type`, which must
// be an array type. All branches must return the same type.
template <typename Fn>
decltype(auto) DispatchArrayType(PrimitiveType type, Fn&& fn) {
  switch (type) {
#define HLO_NATIVE(enumerator, native) \
  case enumerator:                     \
    return fn(std::type_identity<native>{});
    HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE)
#undef HLO_NATIVE
    default:
      __builtin_unreachable();
  }
}

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_NATIVE_TYPES_H_
