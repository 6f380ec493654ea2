// Functions of float and double where C's differ from HLO's or have none.
#ifndef HLOKIT_BACKENDS_INTERPRETER_FLOAT_FUNCTIONS_H_
#define HLOKIT_BACKENDS_INTERPRETER_FLOAT_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hlokit::interpreter {

// The types that floating-point operations are computed in.
template <typename T>
concept Float = std::is_same_v<T, float> || std::is_same_v<T, double>;

// What arithmetic gives for x: a denormal becomes a zero of its sign where the
// thread's mode counts it as zero.
template <typename T>
T Flushed(T x) {
  return x == 0 ? std::copysign(T(0), x) : x;
}

// Whether x is zero or denormal, in either mode of the thread.
template <typename T>
bool IsTiny(T x) {
  return std::fabs(x) < std::numeric_limits<T>::min();
}

// Functions of x that return a denormal x itself, whatever the thread's mode.
// See docs/numerics.md for the rule of each function.
template <typename T>
T FloatExpm1(T x) {
  return IsTiny(x) ? x : std::expm1(x);
}
template <typename T>
T FloatSin(T x) {
  return IsTiny(x) ? x : std::sin(x);
}
template <typename T>
T FloatTan(T x) {
  return IsTiny(x) ? x : std::tan(x);
}

// Doubles go by XLA's formula, whose last place is not always std::tanh's:
// programs that invert it near +-1 magnify the difference. It also takes
// denormals for zero where floats keep them.
template <typename T>
T FloatTanh(T x) {
  if constexpr (std::is_same_v<T, double>) {
    const double e = std::expm1(-2 * std::abs(Flushed(x)));
    return std::copysign(-e / (e + 2), x);
  } else {
    return IsTiny(x) ? x : std::tanh(x);
  }
}

// Functions that follow the thread's mode. The C library works on bits and
// would see a denormal that counts as zero.
#define HLOKIT_FLUSHED_FUNCTION(Name, function) \
  template <typename T>                         \
  T Name(T x) {                                 \
    return function(Flushed(x));                \
  }
HLOKIT_FLUSHED_FUNCTION(FloatAsin, std::asin)
HLOKIT_FLUSHED_FUNCTION(FloatAsinh, std::asinh)
HLOKIT_FLUSHED_FUNCTION(FloatAtanh, std::atanh)
HLOKIT_FLUSHED_FUNCTION(FloatCbrt, std::cbrt)
HLOKIT_FLUSHED_FUNCTION(FloatErf, std::erf)
HLOKIT_FLUSHED_FUNCTION(FloatLog1p, std::log1p)
HLOKIT_FLUSHED_FUNCTION(FloatSinh, std::sinh)
#undef HLOKIT_FLUSHED_FUNCTION

// The logarithm in larger arrays, which follows the thread's mode.
template <typename T>
T FloatLogOfMany(T x) {
  return std::log(Flushed(x));
}

// The logarithm in smaller arrays: that of a denormal is that of its value in
// either mode of the thread.
template <typename T>
T FloatLog(T x) {
  if (!IsTiny(x)) return std::log(x);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const Bits bits = std::bit_cast<Bits>(x);
  if (bits << 1 == 0) return -std::numeric_limits<T>::infinity();
  if (std::signbit(x)) return std::numeric_limits<T>::quiet_NaN();
  // The bits count the units of 2^-149 or 2^-1074.
  constexpr int kLeast = sizeof(T) == 4 ? 149 : 1074;
  constexpr double kLn2 = 0.693147180559945309;
  return static_cast<T>(std::log(static_cast<double>(bits)) - kLeast * kLn2);
}

// NaN if one of them is; +0 is above -0.
template <typename T>
T FloatMaximum(T a, T b) {
  if (a > b || a != a) return Flushed(a);
  if (b > a || b != b) return Flushed(b);
  return Flushed(std::signbit(a) ? b : a);
}
template <typename T>
T FloatMinimum(T a, T b) {
  if (a < b || a != a) return Flushed(a);
  if (b < a || b != b) return Flushed(b);
  return Flushed(std::signbit(a) ? a : b);
}

// NaN stays, zeros keep their sign.
template <typename T>
T FloatSign(T x) {
  if (x != x) return x;
  return x == 0 ? std::copysign(T(0), x) : std::copysign(T(1), x);
}

// By the exponential that does not grow, so that small results keep their
// digits.
template <typename T>
T Logistic(T x) {
  const T decay = std::exp(-std::fabs(x));
  return (x < 0 ? decay : 1) / (1 + decay);
}

// A number whose order as an integer is the total order of floating-point
// numbers: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <typename T>
auto TotalOrderKey(T x) {
  using Int = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using Unsigned = std::make_unsigned_t<Int>;
  const Int bits = std::bit_cast<Int>(x);
  const Unsigned flip = static_cast<Unsigned>(bits >> (8 * sizeof(T) - 1)) >> 1;
  return static_cast<Int>(static_cast<Unsigned>(bits) ^ flip);
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_FLOAT_FUNCTIONS_H_
