#include "backends/interpreter/matmul.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// A block of b, kDepth x kWidth, stays in the cache while all rows of a pass.
constexpr int64_t kDepth = 128;
constexpr int64_t kWidth = 512;

bool IsWide(PrimitiveType type) {
  return type == kF64 || type == kC128;
}

}  // namespace

PrimitiveType ProductType(PrimitiveType lhs, PrimitiveType rhs,
                          PrimitiveType result) {
  const PrimitiveType types[] = {lhs, rhs, result};
  bool complex = false, floating = false, wide = false;
  for (PrimitiveType type : types) {
    complex |= IsComplexType(type);
    floating |= IsFloatType(type);
    wide |= IsWide(type);
  }
  if (complex) return wide ? kC128 : kC64;
  if (floating) return wide ? kF64 : kF32;
  return result == kPred || BitWidth(result) > 32 ? kU64 : kU32;
}

absl::StatusOr<Literal> Arrange(const Literal& array,
                                absl::Span<const int64_t> permutation,
                                PrimitiveType type) {
  const DimensionVector strides = RowMajorStrides(array.shape().dimensions());
  bool in_order = true;
  DimensionVector sizes;
  for (size_t i = 0; i < permutation.size(); ++i) {
    in_order = in_order && permutation[i] == static_cast<int64_t>(i);
    sizes.push_back(array.shape().dimension(permutation[i]));
  }
  const Shape shape = Shape::ArrayWithDescendingLayout(type, sizes);
  if (in_order) {
    if (array.element_type() != type) return ConvertTo(array, shape);
    Literal result = array;
    result.set_shape(shape);
    return result;
  }
  Literal moved = Literal::Zeros(
      Shape::ArrayWithDescendingLayout(array.element_type(), sizes));
  const DimensionVector to = RowMajorStrides(sizes);
  CopyLoops loops;
  for (size_t i = 0; i < permutation.size(); ++i) {
    loops.push_back({sizes[i], strides[permutation[i]], to[i]});
  }
  StridedCopy(loops, array.untyped_data(), moved.mutable_untyped_data(),
              StorageBytes(array.element_type()));
  if (array.element_type() == type) return moved;
  return ConvertTo(moved, shape);
}

absl::StatusOr<Literal> FromProducts(Literal sums, const Shape& shape) {
  sums.set_shape(Shape::ArrayWithDescendingLayout(sums.element_type(),
                                                  shape.dimensions()));
  if (sums.element_type() != shape.element_type()) {
    return ConvertTo(sums, shape);
  }
  sums.set_shape(shape);
  return sums;
}

template <typename T>
void MatMul(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_stride,
            const T* b, int64_t b_stride, T* c, int64_t c_stride) {
  std::vector<T> row(std::min(n, kWidth));
  for (int64_t k0 = 0; k0 < k; k0 += kDepth) {
    const int64_t k1 = std::min(k0 + kDepth, k);
    for (int64_t n0 = 0; n0 < n; n0 += kWidth) {
      const int64_t width = std::min(kWidth, n - n0);
      for (int64_t i = 0; i < m; ++i) {
        // Each block is summed by itself, which keeps rounding errors small.
        std::fill_n(row.data(), width, T());
        T* sums = row.data();
        const T* left = a + i * a_stride;
        for (int64_t p = k0; p < k1; ++p) {
          const T factor = left[p];
          const T* right = b + p * b_stride + n0;
          for (int64_t j = 0; j < width; ++j) {
            sums[j] = MultiplyAdd(sums[j], factor, right[j]);
          }
        }
        T* out = c + i * c_stride + n0;
        for (int64_t j = 0; j < width; ++j) out[j] += sums[j];
      }
    }
  }
}

#define HLOKIT_MATMUL(T)                                                  \
  template void MatMul<T>(int64_t, int64_t, int64_t, const T*, int64_t,   \
                          const T*, int64_t, T*, int64_t);
HLOKIT_MATMUL(uint32_t)
HLOKIT_MATMUL(uint64_t)
HLOKIT_MATMUL(float)
HLOKIT_MATMUL(double)
HLOKIT_MATMUL(Complex<float>)
HLOKIT_MATMUL(Complex<double>)
#undef HLOKIT_MATMUL

}  // namespace hlokit::interpreter
