#include "backends/interpreter/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hlokit::interpreter {
namespace {

// Leaves out loops of size 1 and joins neighbours that run as one.
CopyLoops Simplify(absl::Span<const CopyLoop> loops) {
  CopyLoops result;
  for (const CopyLoop& loop : loops) {
    if (loop.size == 1) continue;
    if (!result.empty()) {
      CopyLoop& outer = result.back();
      if (outer.source == loop.source * loop.size &&
          outer.target == loop.target * loop.size) {
        outer = {outer.size * loop.size, loop.source, loop.target};
        continue;
      }
    }
    result.push_back(loop);
  }
  return result;
}

template <typename T>
void CopyRow(const CopyLoop& loop, const T* source, T* target) {
  if (loop.source == 1 && loop.target == 1) {
    std::memcpy(target, source, loop.size * sizeof(T));
  } else if (loop.source == 0 && loop.target == 1) {
    std::fill_n(target, loop.size, *source);
  } else {
    for (int64_t i = 0; i < loop.size; ++i) {
      target[i * loop.target] = source[i * loop.source];
    }
  }
}

// Two loops in blocks: the reads are contiguous along one, the writes along the
// other.
template <typename T>
void CopyBlocks(const CopyLoop& outer, const CopyLoop& inner, const T* source,
                T* target) {
  constexpr int64_t kBlock = 32;
  for (int64_t i0 = 0; i0 < outer.size; i0 += kBlock) {
    const int64_t i1 = std::min(i0 + kBlock, outer.size);
    for (int64_t j0 = 0; j0 < inner.size; j0 += kBlock) {
      const int64_t count = std::min(kBlock, inner.size - j0);
      for (int64_t i = i0; i < i1; ++i) {
        CopyRow<T>({count, inner.source, inner.target},
                   source + i * outer.source + j0 * inner.source,
                   target + i * outer.target + j0 * inner.target);
      }
    }
  }
}

// Calls copy(source offset, target offset) for each step of the loops.
template <typename Copy>
void ForEachOuter(absl::Span<const CopyLoop> loops, const Copy& copy) {
  DimensionVector index(loops.size(), 0);
  int64_t source = 0, target = 0;
  while (true) {
    copy(source, target);
    size_t i = loops.size();
    while (true) {
      if (i == 0) return;
      const CopyLoop& loop = loops[--i];
      source += loop.source;
      target += loop.target;
      if (++index[i] < loop.size) break;
      source -= loop.source * loop.size;
      target -= loop.target * loop.size;
      index[i] = 0;
    }
  }
}

// A transposition: the innermost loop reads with a long stride while another
// one reads contiguously. That one comes to the last place but one; -1 if there
// is none.
int ContiguousReader(const CopyLoops& loops) {
  if (loops.size() < 2 || std::abs(loops.back().source) <= 1) return -1;
  for (int i = static_cast<int>(loops.size()) - 2; i >= 0; --i) {
    if (loops[i].source == 1) return i;
  }
  return -1;
}

template <typename T>
void Copy(CopyLoops loops, const T* source, T* target) {
  if (loops.empty()) {
    *target = *source;
    return;
  }
  const int reader = ContiguousReader(loops);
  if (reader >= 0) std::rotate(loops.begin() + reader,
                               loops.begin() + reader + 1, loops.end() - 1);
  const CopyLoop inner = loops.back();
  loops.pop_back();
  if (reader < 0) {
    ForEachOuter(loops, [&](int64_t from, int64_t to) {
      CopyRow(inner, source + from, target + to);
    });
    return;
  }
  const CopyLoop outer = loops.back();
  loops.pop_back();
  ForEachOuter(loops, [&](int64_t from, int64_t to) {
    CopyBlocks(outer, inner, source + from, target + to);
  });
}

struct Wide16 {
  uint64_t halves[2];
};

template <typename T>
void CopyAs(CopyLoops loops, const char* source, char* target) {
  Copy(std::move(loops), reinterpret_cast<const T*>(source),
       reinterpret_cast<T*>(target));
}

}  // namespace

void StridedCopy(absl::Span<const CopyLoop> loops, const char* source,
                 char* target, int64_t element_bytes) {
  for (const CopyLoop& loop : loops) {
    if (loop.size <= 0) return;
  }
  CopyLoops simple = Simplify(loops);
  switch (element_bytes) {
    case 1:
      return CopyAs<uint8_t>(std::move(simple), source, target);
    case 2:
      return CopyAs<uint16_t>(std::move(simple), source, target);
    case 4:
      return CopyAs<uint32_t>(std::move(simple), source, target);
    case 8:
      return CopyAs<uint64_t>(std::move(simple), source, target);
    default:
      return CopyAs<Wide16>(std::move(simple), source, target);
  }
}

DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size());
  int64_t stride = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    // Overflows only where another dimension is 0, and nothing is read then.
    if (__builtin_mul_overflow(stride, dimensions[i], &stride)) stride = 0;
  }
  return strides;
}

}  // namespace hlokit::interpreter
