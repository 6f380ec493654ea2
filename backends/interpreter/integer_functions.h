// Integer arithmetic as HLO defines it: modulo 2^bits, without anything that
// C++ leaves undefined. T is a native integer type, SubByteInt included.
#ifndef HLOKIT_BACKENDS_INTERPRETER_INTEGER_FUNCTIONS_H_
#define HLOKIT_BACKENDS_INTERPRETER_INTEGER_FUNCTIONS_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {

template <typename T>
concept Integer = kIsInteger<T>;

template <typename T>
inline constexpr int kBitsOf =
    std::numeric_limits<T>::digits + kIsSignedInteger<T>;

// The value's own bits, zeros above.
template <typename T>
constexpr uint64_t BitsOf(T value) {
  if constexpr (IsSubByteInt<T>::value) {
    return static_cast<uint64_t>(static_cast<int>(value)) &
           ((uint64_t{1} << kBitsOf<T>) - 1);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

// The low bits as a value.
template <typename T>
constexpr T IntegerOfBits(uint64_t bits) {
  return T(bits);
}

// The bits with the topmost one as a sign, whatever T's signedness.
template <typename T>
constexpr int64_t SignExtended(T value) {
  constexpr int kUnused = 64 - kBitsOf<T>;
  return static_cast<int64_t>(BitsOf(value) << kUnused) >> kUnused;
}

// x / 0 has all bits set (-1, or the largest value). The smallest number
// divided by -1 is itself.
template <typename T>
constexpr T IntegerDivide(T a, T b) {
  if (b == T(0)) return IntegerOfBits<T>(~uint64_t{0});
  if constexpr (kIsSignedInteger<T>) {
    if (b == T(-1)) return IntegerOfBits<T>(-BitsOf(a));
  }
  return T(a / b);
}

// Has the sign of the dividend; x % 0 is x.
template <typename T>
constexpr T IntegerRemainder(T a, T b) {
  if (b == T(0)) return a;
  if constexpr (kIsSignedInteger<T>) {
    if (b == T(-1)) return T(0);
  }
  return T(a % b);
}

// Shift amounts count as unsigned numbers.
template <typename T>
constexpr T IntegerShiftLeft(T a, T b) {
  const uint64_t amount = BitsOf(b);
  return amount >= kBitsOf<T> ? T(0) : IntegerOfBits<T>(BitsOf(a) << amount);
}
template <typename T>
constexpr T IntegerShiftRightLogical(T a, T b) {
  const uint64_t amount = BitsOf(b);
  return amount >= kBitsOf<T> ? T(0) : IntegerOfBits<T>(BitsOf(a) >> amount);
}
template <typename T>
constexpr T IntegerShiftRightArithmetic(T a, T b) {
  const uint64_t amount = BitsOf(b);
  return IntegerOfBits<T>(SignExtended(a) >>
                          (amount >= kBitsOf<T> ? 63 : amount));
}

// A negative exponent gives 0 but for the bases 1 and -1.
template <typename T>
constexpr T IntegerPower(T base, T exponent) {
  if constexpr (kIsSignedInteger<T>) {
    if (exponent < T(0)) {
      if (base == T(1)) return base;
      if (base != T(-1)) return T(0);
      return BitsOf(exponent) & 1 ? base : T(1);
    }
  }
  uint64_t result = 1;
  uint64_t square = BitsOf(base);
  for (uint64_t left = BitsOf(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return IntegerOfBits<T>(result);
}

// The upper half of the product.
template <typename T>
constexpr T IntegerMulhi(T a, T b) {
  using Wide = std::conditional_t<kIsSignedInteger<T>, __int128,
                                  unsigned __int128>;
  return IntegerOfBits<T>(static_cast<uint64_t>(
      (static_cast<Wide>(a) * static_cast<Wide>(b)) >> kBitsOf<T>));
}

template <typename T>
constexpr T IntegerLeadingZeros(T a) {
  return T(std::countl_zero(BitsOf(a)) - (64 - kBitsOf<T>));
}

template <typename T>
constexpr T IntegerPopcount(T a) {
  return T(std::popcount(BitsOf(a)));
}

template <typename T>
constexpr T IntegerNegate(T a) {
  return IntegerOfBits<T>(-BitsOf(a));
}

template <typename T>
constexpr T IntegerAbs(T a) {
  return kIsSignedInteger<T> && a < T(0) ? IntegerNegate(a) : a;
}

template <typename T>
constexpr T IntegerSign(T a) {
  return T((a > T(0)) - (a < T(0)));
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_INTEGER_FUNCTIONS_H_
