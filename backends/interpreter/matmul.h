// Sums of products: the matrix product that dots and convolutions are made of,
// and the types that it is computed in.
#ifndef HLOKIT_BACKENDS_INTERPRETER_MATMUL_H_
#define HLOKIT_BACKENDS_INTERPRETER_MATMUL_H_

#include <complex>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/interpreter/complex_functions.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/primitive_type.h"

namespace hlokit::interpreter {

// What products of these types are summed in: u32 or u64 for integers (modulo
// 2^bits of the result, whatever the signs), f32 for floats up to that, f64,
// c64, c128; for pred u64, of which not 0 is true.
PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs,
                          PrimitiveType result);

// Calls fn(std::type_identity<T>{}) for a product type.
template <typename Fn>
void DispatchProductType(PrimitiveType type, const Fn& fn) {
  switch (type) {
    case kU32:
      return fn(std::type_identity<uint32_t>());
    case kU64:
      return fn(std::type_identity<uint64_t>());
    case kF32:
      return fn(std::type_identity<float>());
    case kF64:
      return fn(std::type_identity<double>());
    case kC64:
      return fn(std::type_identity<Complex<float>>());
    default:
      return fn(std::type_identity<Complex<double>>());
  }
}

// The elements as `type`, with the dimensions in the order of `permutation`.
absl::StatusOr<Literal> Arrange(const Literal& array,
                                absl::Span<const int64_t> permutation,
                                PrimitiveType type);

// Sums of a product type as a literal of `shape`, which has as many elements.
absl::StatusOr<Literal> FromProducts(Literal sums, const Shape& shape);

template <typename T>
T MultiplyAdd(T sum, T a, T b) {
  return sum + a * b;
}
template <typename T>
Complex<T> MultiplyAdd(Complex<T> sum, Complex<T> a, Complex<T> b) {
  return sum + ComplexMultiply(a, b);
}

// c[m,n] += a[m,k] * b[k,n], row-major; row i of each begins at i times its
// stride. Instantiated for the product types.
template <typename T>
void MatMul(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_stride,
            const T* b, int64_t b_stride, T* c, int64_t c_stride);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_MATMUL_H_
