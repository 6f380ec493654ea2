#include "backends/interpreter/complex_functions.h"

#include <cmath>
#include <limits>

#include "backends/interpreter/float_functions.h"

namespace hlokit::interpreter {
namespace {

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

template <typename T>
bool IsFinite(Complex<T> z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}
template <typename T>
bool IsInfinite(Complex<T> z) {
  return std::isinf(z.real()) || std::isinf(z.imag());
}
template <typename T>
bool IsAllNan(Complex<T> z) {
  return std::isnan(z.real()) && std::isnan(z.imag());
}

// Infinite parts become +-1, others +-0: the direction of an infinity.
template <typename T>
Complex<T> Direction(Complex<T> z) {
  return {std::copysign(T(std::isinf(z.real())), z.real()),
          std::copysign(T(std::isinf(z.imag())), z.imag())};
}

template <typename T>
Complex<T> ComplexConjugate(Complex<T> z) {
  return {z.real(), -z.imag()};
}

template <typename T>
Complex<T> Scale(T factor, Complex<T> z) {
  return {factor * z.real(), factor * z.imag()};
}

// Smith's method: the smaller part of the divisor relative to the larger one.
template <typename T>
Complex<T> DivideScaled(Complex<T> a, Complex<T> b) {
  if (std::abs(b.real()) < std::abs(b.imag())) {
    const T ratio = b.real() / b.imag();
    const T divisor = b.imag() + ratio * b.real();
    return {(a.real() * ratio + a.imag()) / divisor,
            (a.imag() * ratio - a.real()) / divisor};
  }
  const T ratio = b.imag() / b.real();
  const T divisor = b.real() + ratio * b.imag();
  return {(a.real() + a.imag() * ratio) / divisor,
          (a.imag() - a.real() * ratio) / divisor};
}

// Computes a float's function in double.
template <typename T, typename Fn>
Complex<T> InDouble(Complex<T> z, const Fn& fn) {
  const Complex<double> result = fn(Complex<double>(z.real(), z.imag()));
  return {static_cast<T>(result.real()), static_cast<T>(result.imag())};
}

Complex<double> Log1pInDouble(Complex<double> z) {
  const double x = z.real(), y = z.imag();
  const double angle = std::atan2(y, 1 + x);
  if (std::abs(x) > 0.5 || std::abs(y) > 0.5) {
    return {std::log(std::hypot(1 + x, y)), angle};
  }
  return {0.5 * std::log1p(x * (2 + x) + y * y), angle};
}

Complex<double> Expm1InDouble(Complex<double> z) {
  const double x = z.real(), y = z.imag();
  if (y == 0) return {std::expm1(x), y};
  const double half = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half * half,
          std::exp(x) * std::sin(y)};
}

}  // namespace

template <typename T>
Complex<T> ComplexDivide(Complex<T> a, Complex<T> b) {
  if (b.real() == 0 && b.imag() == 0 && !IsAllNan(a)) {
    return Scale(std::copysign(kInf<T>, b.real()), a);
  }
  if (IsInfinite(a) && IsFinite(b)) {
    return Scale(kInf<T>, ComplexMultiply(Direction(a), ComplexConjugate(b)));
  }
  if (IsFinite(a) && IsInfinite(b)) {
    return Scale(T(0), ComplexMultiply(a, ComplexConjugate(Direction(b))));
  }
  return DivideScaled(a, b);
}

template <typename T>
T ComplexAbs(Complex<T> z) {
  return std::hypot(z.real(), z.imag());
}

template <typename T>
Complex<T> ComplexSign(Complex<T> z) {
  const T size = ComplexAbs(z);
  if (size == 0) return z;
  return {z.real() / size, z.imag() / size};
}

template <typename T>
Complex<T> ComplexExp(Complex<T> z) {
  const T size = std::exp(z.real());
  if (z.imag() == 0) return {size, Flushed(z.imag())};
  return {size * std::cos(z.imag()), size * std::sin(z.imag())};
}

template <typename T>
Complex<T> ComplexExpm1(Complex<T> z) {
  return InDouble(z, Expm1InDouble);
}

template <typename T>
Complex<T> ComplexLog(Complex<T> z) {
  // The angle takes denormals for numbers, as atan2 does.
  return {std::log(z).real(), std::atan2(z.imag(), z.real())};
}

template <typename T>
Complex<T> ComplexLog1p(Complex<T> z) {
  const Complex<T> result = InDouble(z, Log1pInDouble);
  if (!IsTiny(z.imag())) return result;
  // A denormal gets lost on the way to double and back.
  return {result.real(), std::atan2(z.imag(), 1 + z.real())};
}

template <typename T>
Complex<T> ComplexSqrt(Complex<T> z) {
  if (z.imag() == 0 && z.real() < 0) return {T(0), std::sqrt(-z.real())};
  return std::sqrt(z);
}

template <typename T>
Complex<T> ComplexRsqrt(Complex<T> z) {
  return ComplexDivide(Complex<T>(1), ComplexSqrt(z));
}

template <typename T>
Complex<T> ComplexLogistic(Complex<T> z) {
  return ComplexDivide(Complex<T>(1), Complex<T>(1) + ComplexExp(-z));
}

template <typename T>
Complex<T> ComplexPower(Complex<T> base, Complex<T> exponent) {
  const bool positive = exponent.imag() == 0 && exponent.real() > 0;
  if (exponent == Complex<T>(0)) return 1;
  if (base == Complex<T>(0) && exponent.real() > 0) return 0;
  if (positive && base.imag() == 0 && base.real() == kInf<T>) {
    return {kInf<T>, T(0)};
  }
  const Complex<double> e(exponent.real(), exponent.imag());
  return InDouble(base, [&](Complex<double> b) {
    return ComplexExp(ComplexMultiply(e, std::log(b)));
  });
}

template <typename T>
Complex<T> ComplexAtan2(Complex<T> y, Complex<T> x) {
  const Complex<T> i(0, 1);
  const Complex<T> sum = ComplexMultiply(x, x) + ComplexMultiply(y, y);
  const Complex<T> log = ComplexLog(
      ComplexDivide(x + ComplexMultiply(i, y), ComplexSqrt(sum)));
  return {log.imag(), -log.real()};
}

#define HLOKIT_STANDARD(name, function) \
  template <typename T>                 \
  Complex<T> name(Complex<T> z) {       \
    return function(z);                 \
  }
HLOKIT_STANDARD(ComplexSin, std::sin)
HLOKIT_STANDARD(ComplexCos, std::cos)
HLOKIT_STANDARD(ComplexTan, std::tan)
HLOKIT_STANDARD(ComplexSinh, std::sinh)
HLOKIT_STANDARD(ComplexCosh, std::cosh)
HLOKIT_STANDARD(ComplexTanh, std::tanh)
HLOKIT_STANDARD(ComplexAsin, std::asin)
HLOKIT_STANDARD(ComplexAcos, std::acos)
HLOKIT_STANDARD(ComplexAsinh, std::asinh)
HLOKIT_STANDARD(ComplexAcosh, std::acosh)
HLOKIT_STANDARD(ComplexAtanh, std::atanh)
#undef HLOKIT_STANDARD

#define HLOKIT_UNARY(name)                             \
  template Complex<float> name<float>(Complex<float>); \
  template Complex<double> name<double>(Complex<double>);
#define HLOKIT_BINARY(name)                                            \
  template Complex<float> name<float>(Complex<float>, Complex<float>); \
  template Complex<double> name<double>(Complex<double>, Complex<double>);
HLOKIT_BINARY(ComplexDivide)
HLOKIT_BINARY(ComplexPower)
HLOKIT_BINARY(ComplexAtan2)
HLOKIT_UNARY(ComplexSign)
HLOKIT_UNARY(ComplexExp)
HLOKIT_UNARY(ComplexExpm1)
HLOKIT_UNARY(ComplexLog)
HLOKIT_UNARY(ComplexLog1p)
HLOKIT_UNARY(ComplexSqrt)
HLOKIT_UNARY(ComplexRsqrt)
HLOKIT_UNARY(ComplexLogistic)
HLOKIT_UNARY(ComplexSin)
HLOKIT_UNARY(ComplexCos)
HLOKIT_UNARY(ComplexTan)
HLOKIT_UNARY(ComplexSinh)
HLOKIT_UNARY(ComplexCosh)
HLOKIT_UNARY(ComplexTanh)
HLOKIT_UNARY(ComplexAsin)
HLOKIT_UNARY(ComplexAcos)
HLOKIT_UNARY(ComplexAsinh)
HLOKIT_UNARY(ComplexAcosh)
HLOKIT_UNARY(ComplexAtanh)
#undef HLOKIT_UNARY
#undef HLOKIT_BINARY
template float ComplexAbs<float>(Complex<float>);
template double ComplexAbs<double>(Complex<double>);

}  // namespace hlokit::interpreter
