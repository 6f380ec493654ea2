// Functions of complex numbers. Where nothing is said they are C99's; in some,
// zeros, infinities and NaN give what XLA's CPU backend gives; see each.
//
// T is float or double; all are instantiated in complex_functions.cc.
#ifndef HLOKIT_BACKENDS_INTERPRETER_COMPLEX_FUNCTIONS_H_
#define HLOKIT_BACKENDS_INTERPRETER_COMPLEX_FUNCTIONS_H_

#include <complex>

namespace hlokit::interpreter {

template <typename T>
using Complex = std::complex<T>;

// By components, nothing repaired: inf * 1 has a NaN imaginary part.
template <typename T>
Complex<T> ComplexMultiply(Complex<T> a, Complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

// Scaled by the larger part of the divisor, so nothing overflows on the way.
// z / 0 is an infinity times z, infinity / z an infinity, z / infinity a zero.
template <typename T>
Complex<T> ComplexDivide(Complex<T> a, Complex<T> b);
// Scaled; infinity wins over NaN.
template <typename T>
T ComplexAbs(Complex<T> z);
// z / |z|; of 0 it is 0.
template <typename T>
Complex<T> ComplexSign(Complex<T> z);
// A real number has a real result, also where it overflows.
template <typename T>
Complex<T> ComplexExp(Complex<T> z);
template <typename T>
Complex<T> ComplexExpm1(Complex<T> z);
template <typename T>
Complex<T> ComplexLog(Complex<T> z);
template <typename T>
Complex<T> ComplexLog1p(Complex<T> z);
// In the right half plane, on the negative real axis upwards whatever the sign
// of the zero.
template <typename T>
Complex<T> ComplexSqrt(Complex<T> z);
template <typename T>
Complex<T> ComplexRsqrt(Complex<T> z);
template <typename T>
Complex<T> ComplexLogistic(Complex<T> z);
// 0^0 is 1, 0^z with a positive real part 0, inf^z with such a one inf.
template <typename T>
Complex<T> ComplexPower(Complex<T> base, Complex<T> exponent);
// -i log((x + i y) / sqrt(x^2 + y^2)).
template <typename T>
Complex<T> ComplexAtan2(Complex<T> y, Complex<T> x);
template <typename T>
Complex<T> ComplexSin(Complex<T> z);
template <typename T>
Complex<T> ComplexCos(Complex<T> z);
template <typename T>
Complex<T> ComplexTan(Complex<T> z);
template <typename T>
Complex<T> ComplexSinh(Complex<T> z);
template <typename T>
Complex<T> ComplexCosh(Complex<T> z);
template <typename T>
Complex<T> ComplexTanh(Complex<T> z);
template <typename T>
Complex<T> ComplexAsin(Complex<T> z);
template <typename T>
Complex<T> ComplexAcos(Complex<T> z);
template <typename T>
Complex<T> ComplexAsinh(Complex<T> z);
template <typename T>
Complex<T> ComplexAcosh(Complex<T> z);
template <typename T>
Complex<T> ComplexAtanh(Complex<T> z);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_COMPLEX_FUNCTIONS_H_
