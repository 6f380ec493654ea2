#include "backends/cpu/kernels/matvec.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/kernels/convert_runs.h"
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/workspace.h"
#include "backends/interpreter/matmul.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

// Elements that are converted, or results that are summed, at a time.
constexpr int64_t kMatVecRun = 2048;

// sums[r] += a row r of `rows` times x; rows lie `row` apart.
template <typename T, int kRows>
HLOKIT_SIMD_INLINE void DotRowsBody(const T* a, int64_t row, const T* x,
                                    int64_t count, T* sums) {
  using V = Simd<T>;
  constexpr int kLanes = 32 / sizeof(T);
  V total[kRows][2];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) total[r][0] = total[r][1] = V{};
  int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    const V x0 = LoadVector<V>(x + i), x1 = LoadVector<V>(x + i + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      total[r][0] += LoadVector<V>(a + r * row + i) * x0;
      total[r][1] += LoadVector<V>(a + r * row + i + kLanes) * x1;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const V both = total[r][0] + total[r][1];
    T sum = T();
    for (int k = 0; k < kLanes; ++k) sum += both[k];
    for (int64_t j = i; j < count; ++j) sum += a[r * row + j] * x[j];
    sums[r] += sum;
  }
}

// sums += x[0] * row 0 + ... of kRows rows.
template <typename T, int kRows>
HLOKIT_SIMD_INLINE void AddRowsBody(const T* a, int64_t row, const T* x,
                                    int64_t count, T* sums) {
  using V = Simd<T>;
  constexpr int kLanes = 32 / sizeof(T);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    V sum = LoadVector<V>(sums + i);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      sum += x[r] * LoadVector<V>(a + r * row + i);
    }
    StoreVector(sums + i, sum);
  }
  for (; i < count; ++i) {
    T sum = sums[i];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) sum += a[r * row + i] * x[r];
    sums[i] = sum;
  }
}

template <typename T, int kRows>
HLOKIT_SIMD_AVX2 void DotRowsAvx2(const T* a, int64_t row, const T* x,
                                  int64_t count, T* sums) {
  DotRowsBody<T, kRows>(a, row, x, count, sums);
}
template <typename T, int kRows>
void DotRowsPlain(const T* a, int64_t row, const T* x, int64_t count,
                  T* sums) {
  DotRowsBody<T, kRows>(a, row, x, count, sums);
}
template <typename T, int kRows>
HLOKIT_SIMD_AVX2 void AddRowsAvx2(const T* a, int64_t row, const T* x,
                                  int64_t count, T* sums) {
  AddRowsBody<T, kRows>(a, row, x, count, sums);
}
template <typename T, int kRows>
void AddRowsPlain(const T* a, int64_t row, const T* x, int64_t count,
                  T* sums) {
  AddRowsBody<T, kRows>(a, row, x, count, sums);
}

template <typename T>
struct MatVec {
  using Function = void (*)(const T*, int64_t, const T*, int64_t, T*);

  PrimitiveType matrix_type;
  PrimitiveType out_type;
  const char* matrix;
  const T* x;  // converted
  int64_t rows, depth;
  int64_t row_stride, depth_stride;
  char* out;
  int64_t out_stride;

  bool AsIs() const {
    if constexpr (std::is_same_v<T, int32_t>) return matrix_type == kS32;
    return matrix_type == PrimitiveTypeOf<T>();
  }

  void Store(const T* sums, int64_t first, int64_t count) const {
    const int64_t bytes = StorageBytes(out_type);
    if (out_stride == 1) {
      StoreRun(sums, out_type, out + first * bytes, count);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      StoreRun(sums + i, out_type, out + (first + i) * out_stride * bytes, 1);
    }
  }

  // Rows lie in one piece. So many at a time: processors read from memory
  // faster in several places. Each row's sum is the same whatever the pieces.
  void RunRows(int64_t begin, int64_t end) const {
    constexpr int64_t kRows = 8;
    const Function all =
        HasAvx2() ? &DotRowsAvx2<T, kRows> : &DotRowsPlain<T, kRows>;
    const Function one = HasAvx2() ? &DotRowsAvx2<T, 1> : &DotRowsPlain<T, 1>;
    const int64_t bytes = StorageBytes(matrix_type);
    alignas(64) T block[kRows][kMatVecRun];
    for (int64_t r = begin; r < end; r += kRows) {
      const int64_t height = std::min(kRows, end - r);
      T sums[kRows] = {};
      const char* from = matrix + r * row_stride * bytes;
      for (int64_t p = 0; p < depth; p += kMatVecRun) {
        const int64_t count = std::min(kMatVecRun, depth - p);
        const T* a = reinterpret_cast<const T*>(from) + p;
        int64_t row = row_stride;
        if (!AsIs()) {
          a = block[0];
          row = kMatVecRun;
          for (int64_t i = 0; i < height; ++i) {
            ConvertRun(matrix_type, from + (i * row_stride + p) * bytes,
                       block[i], count);
          }
        }
        if (height == kRows) {
          all(a, row, x + p, count, sums);
        } else {
          for (int64_t i = 0; i < height; ++i) {
            one(a + i * row, row, x + p, count, sums + i);
          }
        }
      }
      Store(sums, r, height);
    }
  }

  // Columns (of the matrix's memory: rows of one depth) lie in one piece.
  void RunColumns(int64_t begin, int64_t end) const {
    const Function four = HasAvx2() ? &AddRowsAvx2<T, 4> : &AddRowsPlain<T, 4>;
    const Function one = HasAvx2() ? &AddRowsAvx2<T, 1> : &AddRowsPlain<T, 1>;
    const int64_t bytes = StorageBytes(matrix_type);
    alignas(64) T block[4][kMatVecRun];
    alignas(64) T sums[kMatVecRun];
    for (int64_t first = begin; first < end; first += kMatVecRun) {
      const int64_t count = std::min(kMatVecRun, end - first);
      std::fill_n(sums, count, T());
      for (int64_t p = 0; p < depth; p += 4) {
        const int64_t height = std::min<int64_t>(4, depth - p);
        const char* from = matrix + (first + p * depth_stride) * bytes;
        const T* a = reinterpret_cast<const T*>(from);
        int64_t row = depth_stride;
        if (!AsIs()) {
          a = block[0];
          row = kMatVecRun;
          for (int64_t i = 0; i < height; ++i) {
            ConvertRun(matrix_type, from + i * depth_stride * bytes, block[i],
                       count);
          }
        }
        if (height == 4) {
          four(a, row, x + p, count, sums);
        } else {
          for (int64_t i = 0; i < height; ++i) {
            one(a + i * row, row, x + p + i, count, sums);
          }
        }
      }
      Store(sums, first, count);
    }
  }
};

template <typename T>
void RunMatVecAs(const GemmProblem& problem, const void* lhs, const void* rhs,
                 void* out, ThreadPool* pool) {
  const bool left = problem.n() == 1;  // the matrix
  MatVec<T> product;
  product.matrix_type = left ? problem.lhs_type : problem.rhs_type;
  product.out_type = problem.out_type;
  product.matrix = static_cast<const char*>(left ? lhs : rhs);
  product.rows = left ? problem.m() : problem.n();
  product.depth = problem.k();
  const GemmWalk& rows = left ? problem.lhs_m : problem.rhs_n;
  const GemmWalk& depth = left ? problem.lhs_k : problem.rhs_k;
  product.row_stride = rows.stride();
  product.depth_stride = depth.stride();
  product.out = static_cast<char*>(out);
  product.out_stride = (left ? problem.out_m : problem.out_n).stride();
  // The vector, in one piece and converted.
  const PrimitiveType type = left ? problem.rhs_type : problem.lhs_type;
  const char* vector = static_cast<const char*>(left ? rhs : lhs);
  const GemmWalk& walk = left ? problem.rhs_k : problem.lhs_k;
  thread_local Workspace space;
  T* x = space.Get<T>(product.depth);
  const int64_t bytes = StorageBytes(type);
  for (int64_t i = 0; i < product.depth;) {
    const int64_t run = std::min(product.depth - i, walk.RunAt(i));
    ConvertRun(type, vector + walk.At(i) * bytes, x + i, run);
    i += run;
  }
  product.x = x;
  const bool by_rows = product.depth_stride == 1 || product.depth == 1;
  const int64_t each =
      std::max<int64_t>(1, product.depth) * StorageBytes(product.matrix_type);
  int64_t grain = std::max<int64_t>(1, (1 << 18) / each);
  // Wide pieces of the rows, which are far from each other.
  grain = by_rows ? (grain + 7) / 8 * 8
                  : std::clamp<int64_t>((product.rows / 8 + 63) / 64 * 64,
                                      std::min<int64_t>(grain, 1 << 16),
                                      kMatVecRun);
  const auto run = [&](int64_t begin, int64_t end) {
    if (by_rows) {
      product.RunRows(begin, end);
    } else {
      product.RunColumns(begin, end);
    }
  };
  if (pool == nullptr || pool->parallelism() == 1) {
    run(0, product.rows);
  } else {
    pool->ParallelFor(product.rows, grain, run);
  }
}

}  // namespace

bool IsMatVec(const GemmProblem& problem) {
  if (problem.m() != 1 && problem.n() != 1) return false;
  const bool left = problem.n() == 1;
  const GemmWalk& rows = left ? problem.lhs_m : problem.rhs_n;
  const GemmWalk& depth = left ? problem.lhs_k : problem.rhs_k;
  if (!rows.uniform() || !depth.uniform()) return false;
  if (!(left ? problem.out_m : problem.out_n).uniform()) return false;
  if (depth.stride() != 1 && problem.k() != 1 && rows.stride() != 1) {
    return false;
  }
  switch (interpreter::ProductType(problem.lhs_type, problem.rhs_type,
                                   problem.out_type)) {
    case kF32:
    case kF64:
      return IsFloatType(problem.out_type);
    case kU32:
      return true;
    default:
      return false;
  }
}

void RunMatVec(const GemmProblem& problem, const void* lhs, const void* rhs,
               void* out, ThreadPool* pool) {
  switch (interpreter::ProductType(problem.lhs_type, problem.rhs_type,
                                   problem.out_type)) {
    case kF32:
      return RunMatVecAs<float>(problem, lhs, rhs, out, pool);
    case kF64:
      return RunMatVecAs<double>(problem, lhs, rhs, out, pool);
    default:
      return RunMatVecAs<int32_t>(problem, lhs, rhs, out, pool);
  }
}

}  // namespace hlokit::cpu
