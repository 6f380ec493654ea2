#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "backends/interpreter/kernels.h"
#include "backends/interpreter/linear_algebra.h"
#include "backends/interpreter/live_operands.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

struct Options {
  bool left_side;
  bool lower;
  bool unit_diagonal;
  TransposeA transpose;
};

// op(a), with the triangle that does not count zero.
template <typename T>
std::vector<T> Operator(const T* a, int64_t n, const Options& options) {
  std::vector<T> result(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (options.lower ? j > i : j < i) continue;
      const T value = i == j && options.unit_diagonal ? T(1) : a[i * n + j];
      switch (options.transpose) {
        case TransposeA::kTranspose:
          result[j * n + i] = value;
          break;
        case TransposeA::kAdjoint:
          result[j * n + i] = Conjugate(value);
          break;
        default:
          result[i * n + j] = value;
      }
    }
  }
  return result;
}

// Solves op x = b in place, b being [n, columns].
template <typename T>
void Solve(const std::vector<T>& op, bool lower, int64_t n, int64_t columns,
           T* b) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* row = b + i * columns;
    const int64_t first = lower ? 0 : i + 1, last = lower ? i : n;
    for (int64_t k = first; k < last; ++k) {
      const T factor = -op[i * n + k];
      const T* known = b + k * columns;
      for (int64_t j = 0; j < columns; ++j) {
        row[j] = MultiplyAdd(row[j], factor, known[j]);
      }
    }
    const T pivot = op[i * n + i];
    for (int64_t j = 0; j < columns; ++j) {
      // XLA's backends invert the diagonal: nothing divides by 0 but NaN.
      row[j] = pivot == T(0) ? T(std::numeric_limits<double>::quiet_NaN())
                             : Quotient(row[j], pivot);
    }
  }
}

template <typename T>
std::vector<T> Transposed(const T* a, int64_t rows, int64_t columns) {
  std::vector<T> result(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      result[j * rows + i] = a[i * columns + j];
    }
  }
  return result;
}

template <typename T>
void SolveOne(const T* a, T* b, const MatrixSizes& sizes, Options options) {
  const int64_t n = options.left_side ? sizes.rows : sizes.columns;
  bool lower = options.lower;
  const bool turned = options.transpose == TransposeA::kTranspose ||
                      options.transpose == TransposeA::kAdjoint;
  std::vector<T> op = Operator(a, n, options);
  if (turned) lower = !lower;
  if (options.left_side) {
    Solve(op, lower, n, sizes.columns, b);
    return;
  }
  // x op = b is op^T x^T = b^T.
  op = Transposed(op.data(), n, n);
  std::vector<T> right = Transposed(b, sizes.rows, n);
  Solve(op, !lower, n, sizes.rows, right.data());
  right = Transposed(right.data(), n, sizes.rows);
  std::copy(right.begin(), right.end(), b);
}

absl::StatusOr<Literal> TriangularSolve(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands, const Shape& shape) {
  const AttributeSet& attrs = instruction.attrs();
  const Options options = {
      attrs.GetBool(AttrId::kLeftSide), attrs.GetBool(AttrId::kLower),
      attrs.GetBool(AttrId::kUnitDiagonal),
      static_cast<TransposeA>(
          attrs.GetInt(AttrId::kTransposeA,
                       static_cast<int64_t>(TransposeA::kNoTranspose)))};
  const MatrixSizes sizes = MatrixSizesOf(shape);
  const int64_t n = options.left_side ? sizes.rows : sizes.columns;
  const PrimitiveType type = AlgebraType(shape.element_type());
  HLOKIT_ASSIGN_OR_RETURN(Literal matrices, WithElements(*operands[0], type));
  HLOKIT_ASSIGN_OR_RETURN(Literal result, WithElements(*operands[1], type));
  DispatchAlgebraType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* a = matrices.data<T>().data();
    T* b = result.mutable_data<T>().data();
    for (int64_t i = 0; i < sizes.batch; ++i) {
      SolveOne(a, b, sizes, options);
      a += n * n;
      b += sizes.rows * sizes.columns;
    }
  });
  return AsShape(std::move(result), shape);
}

}  // namespace

absl::StatusOr<Literal> EvalTriangularSolve(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return EvalLive(context, instruction, operands, &TriangularSolve);
}

}  // namespace hlokit::interpreter
