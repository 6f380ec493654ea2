#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/interpreter/kernels.h"
#include "backends/interpreter/linear_algebra.h"
#include "backends/interpreter/live_operands.h"
#include "base/status.h"

namespace hlokit::interpreter {

MatrixSizes MatrixSizesOf(const Shape& shape) {
  const int64_t rank = shape.rank();
  MatrixSizes sizes;
  for (int64_t i = 0; i + 2 < rank; ++i) sizes.batch *= shape.dimension(i);
  sizes.rows = shape.dimension(rank - 2);
  sizes.columns = shape.dimension(rank - 1);
  return sizes;
}

namespace {

// a = l l^H, from the lower triangle of a. False if a is not positive definite.
template <typename T>
bool Decompose(int64_t n, T* a) {
  for (int64_t j = 0; j < n; ++j) {
    double diagonal = RealPart(a[j * n + j]);
    for (int64_t k = 0; k < j; ++k) {
      diagonal -= std::norm(a[j * n + k]);
    }
    // NaN is not positive, either.
    if (!(diagonal > 0) || std::isinf(diagonal)) return false;
    const double root = std::sqrt(diagonal);
    a[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      T sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) {
        sum = MultiplyAdd(sum, -a[i * n + k], Conjugate(a[j * n + k]));
      }
      a[i * n + j] = sum / root;
    }
    std::fill_n(a + j * n + j + 1, n - j - 1, T());
  }
  return true;
}

template <typename T>
void ConjugateTranspose(int64_t n, T* a) {
  for (int64_t i = 0; i < n; ++i) {
    a[i * n + i] = Conjugate(a[i * n + i]);
    for (int64_t j = 0; j < i; ++j) {
      const T above = a[j * n + i];
      a[j * n + i] = Conjugate(a[i * n + j]);
      a[i * n + j] = Conjugate(above);
    }
  }
}

absl::StatusOr<Literal> Cholesky(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 const Shape& shape) {
  const bool lower = instruction.attrs().GetBool(AttrId::kLower);
  const MatrixSizes sizes = MatrixSizesOf(shape);
  const int64_t n = sizes.rows;
  const PrimitiveType type = AlgebraType(shape.element_type());
  HLOKIT_ASSIGN_OR_RETURN(Literal result, WithElements(*operands[0], type));
  DispatchAlgebraType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* a = result.mutable_data<T>().data();
    for (int64_t i = 0; i < sizes.batch; ++i, a += n * n) {
      if (!lower) ConjugateTranspose(n, a);
      if (!Decompose(n, a)) {
        std::fill_n(a, n * n, T(std::numeric_limits<double>::quiet_NaN()));
      }
      if (!lower) ConjugateTranspose(n, a);
    }
  });
  return AsShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalCholesky(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &Cholesky);
}

}  // namespace hlokit::interpreter
