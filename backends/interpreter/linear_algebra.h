// Decompositions of small dense matrices, in double precision: for opcodes and
// for custom-calls that XLA's compilers expand themselves.
//
// Matrices are row-major; T is double or std::complex<double>.
#ifndef HLOKIT_BACKENDS_INTERPRETER_LINEAR_ALGEBRA_H_
#define HLOKIT_BACKENDS_INTERPRETER_LINEAR_ALGEBRA_H_

#include <complex>
#include <cstdint>

#include "absl/status/statusor.h"
#include "backends/interpreter/complex_functions.h"
#include "backends/interpreter/matmul.h"
#include "hlo/ir/literal.h"

namespace hlokit::interpreter {

// kF64, of complex types kC128.
inline PrimitiveType AlgebraType(PrimitiveType type) {
  return IsComplexType(type) ? kC128 : kF64;
}
// Calls fn(std::type_identity<T>{}) for the C++ type of kF64 or kC128.
template <typename Fn>
void DispatchAlgebraType(PrimitiveType type, const Fn& fn) {
  if (type == kC128) {
    fn(std::type_identity<std::complex<double>>());
  } else {
    fn(std::type_identity<double>());
  }
}

inline double Conjugate(double x) { return x; }
inline std::complex<double> Conjugate(std::complex<double> x) {
  return std::conj(x);
}
inline double RealPart(double x) { return x; }
inline double RealPart(std::complex<double> x) { return x.real(); }

inline double Quotient(double a, double b) { return a / b; }
inline std::complex<double> Quotient(std::complex<double> a,
                                     std::complex<double> b) {
  return ComplexDivide(a, b);
}

// Rows and columns of the last two dimensions, how many matrices.
struct MatrixSizes {
  int64_t batch = 1;
  int64_t rows = 0;
  int64_t columns = 0;
};
// At least two dimensions.
MatrixSizes MatrixSizesOf(const Shape& shape);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_LINEAR_ALGEBRA_H_
