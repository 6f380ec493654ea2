// HLO's convert for one element, on native types (native_types.h).
#ifndef HLOKIT_HLO_IR_LITERAL_CONVERT_H_
#define HLOKIT_HLO_IR_LITERAL_CONVERT_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hlo/ir/native_types.h"

namespace hlokit {
namespace internal {

// Truncates towards zero and saturates; NaN gives 0. `To` is a built-in integer
// type, `From` float or double.
template <typename To, typename From>
constexpr To TruncateSaturating(From value) {
  using Limits = std::numeric_limits<To>;
  // 2^digits is exact in every From, unlike max().
  constexpr From kBeyond = From(uint64_t{1} << (Limits::digits - 1)) * 2;
  if (value != value) return 0;
  if (value >= kBeyond) return Limits::max();
  if (Limits::is_signed ? value <= -kBeyond : value <= 0) return Limits::min();
  return static_cast<To>(value);
}

}  // namespace internal

// Number to pred: "not 0" (NaN is true). Complex to others: the real part; to
// pred: either part. Float to integer: truncates, saturates, NaN gives 0.
// Integer to integer: modulo 2^bits. To float: rounds to nearest even (see
// small_float.h).
template <typename To, typename From>
constexpr To ConvertElement(const From& value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsComplex<To> && kIsComplex<From>) {
    using Part = typename To::value_type;
    return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
  } else if constexpr (kIsComplex<To>) {
    return To(ConvertElement<typename To::value_type>(value), 0);
  } else if constexpr (kIsComplex<From> && kIsPred<To>) {
    return value.real() != 0 || value.imag() != 0;
  } else if constexpr (kIsComplex<From>) {
    return ConvertElement<To>(value.real());
  } else if constexpr (kIsPred<To> && kIsFloat<From>) {
    using Wide = std::conditional_t<IsSmallFloat<From>::value, float, From>;
    return static_cast<Wide>(value) != 0;
  } else if constexpr (kIsPred<To>) {
    return static_cast<bool>(value);
  } else if constexpr (IsSmallFloat<From>::value) {
    return ConvertElement<To>(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<From>) {
    return internal::TruncateSaturating<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_LITERAL_CONVERT_H_
