// Cholesky decompositions and triangular solves by LAPACK and BLAS.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/lapack.h"

namespace hlokit::cpu {
namespace {

using interpreter::DispatchLapackType;
using interpreter::Lapack;

constexpr int64_t kLargestMatrix = 1 << 15;

// Of complex numbers the real part is NaN.
template <typename T>
T NotANumber() {
  return T(std::numeric_limits<
           typename interpreter::LapackReal<T>::type>::quiet_NaN());
}

class CholeskyKernel : public NativeKernel {
 public:
  CholeskyKernel(PrimitiveType type, int64_t batch, int64_t n, bool lower)
      : type_(type), batch_(batch), n_(n), lower_(lower) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    DispatchLapackType(type_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      context.pool->ParallelFor(
          batch_, GrainFor(n_ * n_ * n_), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              One(static_cast<const T*>(operands[0]) + i * n_ * n_,
                  static_cast<T*>(results[0]) + i * n_ * n_);
            }
          });
    });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void One(const T* from, T* a) const {
    // Only the named triangle counts; the other one is zero.
    for (int64_t row = 0; row < n_; ++row) {
      const int64_t first = lower_ ? 0 : row, last = lower_ ? row + 1 : n_;
      std::memmove(a + row * n_ + first, from + row * n_ + first,
                   (last - first) * sizeof(T));
      std::fill(a + row * n_, a + row * n_ + first, T());
      std::fill(a + row * n_ + last, a + (row + 1) * n_, T());
    }
    const int info =
        Lapack<T>::Potrf(lower_ ? 'L' : 'U', static_cast<int>(n_), a);
    bool finite = info == 0;
    for (int64_t i = 0; finite && i < n_; ++i) {
      const auto pivot = std::real(a[i * n_ + i]);
      finite = pivot - pivot == 0;
    }
    if (!finite) std::fill_n(a, n_ * n_, NotANumber<T>());
  }

  PrimitiveType type_;
  int64_t batch_, n_;
  bool lower_;
};

struct SolveOptions {
  bool left = false, lower = false, unit = false;
  char transpose = 'N';
};

class TriangularSolveKernel : public NativeKernel {
 public:
  TriangularSolveKernel(PrimitiveType type, int64_t batch, int64_t rows,
                        int64_t columns, SolveOptions options)
      : type_(type), batch_(batch), rows_(rows), columns_(columns),
        n_(options.left ? rows : columns), options_(options) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    DispatchLapackType(type_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t size = rows_ * columns_;
      context.pool->ParallelFor(
          batch_, GrainFor(n_ * size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              T* b = static_cast<T*>(results[0]) + i * size;
              std::memmove(b, static_cast<const T*>(operands[1]) + i * size,
                           size * sizeof(T));
              One(static_cast<const T*>(operands[0]) + i * n_ * n_, b);
            }
          });
    });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  void One(const T* a, T* b) const {
    Lapack<T>::Trsm(options_.left ? 'L' : 'R', options_.lower ? 'L' : 'U',
                    options_.transpose, options_.unit ? 'U' : 'N',
                    static_cast<int>(rows_), static_cast<int>(columns_), a, b);
    if (options_.unit) return;
    // Nothing divides by 0 but NaN; and what it was needed for is NaN, too.
    for (int64_t i = 0; i < n_; ++i) {
      if (a[i * n_ + i] != T()) continue;
      const bool lower = options_.lower == (options_.transpose == 'N');
      const bool forward = options_.left == lower;
      const int64_t first = forward ? i : 0, last = forward ? n_ : i + 1;
      Spoil(a, i, first, last, b);
    }
  }

  // Unknown i is NaN; so are those that follow from it.
  template <typename T>
  void Spoil(const T* a, int64_t i, int64_t first, int64_t last, T* b) const {
    for (int64_t k = first; k < last; ++k) {
      const int64_t count = options_.left ? columns_ : rows_;
      for (int64_t j = 0; j < count; ++j) {
        b[options_.left ? k * columns_ + j : j * columns_ + k] =
            NotANumber<T>();
      }
    }
  }

  PrimitiveType type_;
  int64_t batch_, rows_, columns_, n_;
  SolveOptions options_;
};

bool IsMatrices(const ArrayView& view) {
  return view.rank() >= 2 && IsRowMajor(view) &&
         DispatchLapackType(view.type, [](auto) {}) &&
         view.sizes[view.rank() - 1] <= kLargestMatrix &&
         view.sizes[view.rank() - 2] <= kLargestMatrix;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeCholeskyKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto from = ViewOf(instruction.operand(0)->shape());
  const auto to = ViewOf(instruction.shape());
  if (!from || !to || from->type != to->type || from->sizes != to->sizes ||
      !IsMatrices(*from) || !IsMatrices(*to)) {
    return nullptr;
  }
  const int64_t n = to->sizes.back();
  if (n == 0 || to->elements == 0 || to->sizes[to->rank() - 2] != n ||
      !interpreter::LoadLapack().ok()) {
    return nullptr;
  }
  return std::make_unique<CholeskyKernel>(
      to->type, to->elements / (n * n), n,
      instruction.attrs().GetBool(AttrId::kLower));
}

std::unique_ptr<NativeKernel> MakeTriangularSolveKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto a = ViewOf(instruction.operand(0)->shape());
  const auto b = ViewOf(instruction.operand(1)->shape());
  const auto to = ViewOf(instruction.shape());
  if (!a || !b || !to || a->type != to->type || b->type != to->type ||
      b->sizes != to->sizes || !IsMatrices(*a) || !IsMatrices(*b) ||
      !IsMatrices(*to) || to->elements == 0) {
    return nullptr;
  }
  const AttributeSet& attrs = instruction.attrs();
  SolveOptions options;
  options.left = attrs.GetBool(AttrId::kLeftSide);
  options.lower = attrs.GetBool(AttrId::kLower);
  options.unit = attrs.GetBool(AttrId::kUnitDiagonal);
  switch (static_cast<TransposeA>(
      attrs.GetInt(AttrId::kTransposeA,
                   static_cast<int64_t>(TransposeA::kNoTranspose)))) {
    case TransposeA::kTranspose:
      options.transpose = 'T';
      break;
    case TransposeA::kAdjoint:
      options.transpose = 'C';
      break;
    default:
      break;
  }
  const int64_t rows = to->sizes[to->rank() - 2], columns = to->sizes.back();
  const int64_t n = options.left ? rows : columns;
  if (a->sizes.back() != n || a->sizes[a->rank() - 2] != n ||
      !interpreter::LoadLapack().ok()) {
    return nullptr;
  }
  return std::make_unique<TriangularSolveKernel>(
      to->type, to->elements / (rows * columns), rows, columns, options);
}

}  // namespace hlokit::cpu
