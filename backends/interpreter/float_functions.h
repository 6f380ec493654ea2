// Functions of float and double where C's differ from HLO's or have none.
#ifndef HLOKIT_BACKENDS_INTERPRETER_FLOAT_FUNCTIONS_H_
#define HLOKIT_BACKENDS_INTERPRETER_FLOAT_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>
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

// The C library's log works on bits and would see a flushed denormal.
template <typename T>
T FloatLog(T x) {
  return std::log(Flushed(x));
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

template <typename T>
T Logistic(T x) {
  return 1 / (1 + std::exp(-x));
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
