// Orders of elements: iteration and reordering by layout.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hlo/ir/literal.h"

namespace hlokit {
namespace {

// Row-major strides, in elements.
DimensionVector RowMajorStrides(const Shape& shape) {
  DimensionVector strides(shape.rank());
  int64_t stride = 1;
  for (int64_t i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    // Overflows only where another dimension is 0, and nothing is read then.
    if (__builtin_mul_overflow(stride, shape.dimension(i), &stride)) stride = 0;
  }
  return strides;
}

DimensionVector MinorToMajor(const Shape& shape) {
  if (shape.has_layout()) return shape.layout().minor_to_major;
  return Layout::Descending(shape.rank()).minor_to_major;
}

// One loop of a strided copy. Strides in elements.
struct Loop {
  int64_t size;
  int64_t source;
  int64_t target;
};
using Loops = std::vector<Loop>;

// From the outermost loop in the target's order to the innermost; dimensions
// that are neighbours on both sides become one.
Loops LayoutLoops(const Shape& shape) {
  const DimensionVector row_major = RowMajorStrides(shape);
  Loops loops;
  int64_t stride = 1;
  for (int64_t dimension : MinorToMajor(shape)) {
    const Loop loop = {shape.dimension(dimension), row_major[dimension],
                       stride};
    stride *= loop.size;
    if (loop.size == 1) continue;
    if (!loops.empty() &&
        loop.source == loops.back().source * loops.back().size) {
      loops.back().size *= loop.size;
    } else {
      loops.push_back(loop);
    }
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

template <typename T>
void CopyRun(const T* source, T* target, int64_t count) {
  std::memcpy(target, source, count * sizeof(T));
}

// Transposes rows x columns in blocks that fit the cache: the source is
// contiguous along `columns`, the target along `rows`.
template <typename T>
void TransposeBlocks(const T* source, T* target, const Loop& rows,
                     const Loop& columns) {
  constexpr int64_t kBlock = 32;
  for (int64_t c0 = 0; c0 < columns.size; c0 += kBlock) {
    const int64_t c1 = std::min(c0 + kBlock, columns.size);
    for (int64_t r0 = 0; r0 < rows.size; r0 += kBlock) {
      const int64_t r1 = std::min(r0 + kBlock, rows.size);
      for (int64_t c = c0; c < c1; ++c) {
        for (int64_t r = r0; r < r1; ++r) {
          target[c * columns.target + r * rows.target] =
              source[c * columns.source + r * rows.source];
        }
      }
    }
  }
}

// Runs over all but the last `inner` loops and calls `copy` with the offsets.
template <typename Copy>
void ForEachOuter(const Loops& loops, size_t outer, const Copy& copy) {
  DimensionVector index(outer, 0);
  int64_t source = 0, target = 0;
  while (true) {
    copy(source, target);
    size_t i = outer;
    while (i > 0) {
      const Loop& loop = loops[--i];
      source += loop.source;
      target += loop.target;
      if (++index[i] < loop.size) break;
      source -= loop.source * loop.size;
      target -= loop.target * loop.size;
      index[i] = 0;
      if (i == 0) return;
    }
    if (outer == 0) return;
  }
}

template <typename T>
void StridedCopy(Loops loops, const T* source, T* target) {
  if (loops.empty()) return CopyRun(source, target, 1);
  const Loop inner = loops.back();
  if (inner.source == 1 && inner.target == 1) {
    loops.pop_back();
    ForEachOuter(loops, loops.size(), [&](int64_t from, int64_t to) {
      CopyRun(source + from, target + to, inner.size);
    });
    return;
  }
  // Each side has its own minor loop; both go into the blocks.
  auto minor = std::find_if(loops.begin(), loops.end(),
                            [](const Loop& loop) { return loop.source == 1; });
  const Loop columns = *minor;
  loops.erase(minor);
  loops.pop_back();
  ForEachOuter(loops, loops.size(), [&](int64_t from, int64_t to) {
    TransposeBlocks(source + from, target + to, inner, columns);
  });
}

// `loops` have the row-major side as source. The other way round the roles are
// swapped, and the loops ordered for the new target.
Loops Inverse(Loops loops) {
  for (Loop& loop : loops) std::swap(loop.source, loop.target);
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.target > b.target; });
  return loops;
}

// One element of any type of this width; may lie at any address.
template <int bytes>
struct Unit {
  char data[bytes];
};

template <int bytes>
void CopyUnits(Loops loops, const char* source, char* target) {
  StridedCopy(std::move(loops), reinterpret_cast<const Unit<bytes>*>(source),
              reinterpret_cast<Unit<bytes>*>(target));
}

void CopyElements(const Shape& shape, Loops loops, const char* source,
                  char* target) {
  switch (StorageBytes(shape.element_type())) {
    case 1:
      return CopyUnits<1>(std::move(loops), source, target);
    case 2:
      return CopyUnits<2>(std::move(loops), source, target);
    case 4:
      return CopyUnits<4>(std::move(loops), source, target);
    case 8:
      return CopyUnits<8>(std::move(loops), source, target);
    default:
      return CopyUnits<16>(std::move(loops), source, target);
  }
}

}  // namespace

void ForEachInLayoutOrder(
    const Shape& shape,
    absl::FunctionRef<void(int64_t linear, absl::Span<const int64_t> index)>
        fn) {
  if (ElementsIn(shape) == 0) return;
  const DimensionVector strides = RowMajorStrides(shape);
  const DimensionVector order = MinorToMajor(shape);
  DimensionVector index(shape.rank(), 0);
  int64_t linear = 0;
  while (true) {
    fn(linear, index);
    size_t i = 0;
    for (; i < order.size(); ++i) {
      const int64_t dimension = order[i];
      linear += strides[dimension];
      if (++index[dimension] < shape.dimension(dimension)) break;
      linear -= strides[dimension] * shape.dimension(dimension);
      index[dimension] = 0;
    }
    if (i == order.size()) return;
  }
}

void RowMajorToLayout(const Shape& shape, const char* row_major, char* out) {
  if (ElementsIn(shape) == 0) return;
  CopyElements(shape, LayoutLoops(shape), row_major, out);
}

void LayoutToRowMajor(const Shape& shape, const char* in, char* row_major) {
  if (ElementsIn(shape) == 0) return;
  CopyElements(shape, Inverse(LayoutLoops(shape)), in, row_major);
}

}  // namespace hlokit
