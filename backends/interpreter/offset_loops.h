// Nested loops over arrays that keep an offset into each of them: the walk that
// reductions, windows and index operations share.
#ifndef HLOKIT_BACKENDS_INTERPRETER_OFFSET_LOOPS_H_
#define HLOKIT_BACKENDS_INTERPRETER_OFFSET_LOOPS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace hlokit::interpreter {

// One loop: how often, and how far each of the N offsets goes at each step.
template <size_t N>
struct OffsetLoop {
  int64_t size = 1;
  std::array<int64_t, N> strides = {};
};
template <size_t N>
using OffsetLoops = absl::InlinedVector<OffsetLoop<N>, 6>;

// Without loops of size 1; neighbours that run as one are joined.
template <size_t N>
OffsetLoops<N> Simplify(absl::Span<const OffsetLoop<N>> loops) {
  OffsetLoops<N> result;
  for (const OffsetLoop<N>& loop : loops) {
    if (loop.size == 1) continue;
    bool joins = !result.empty();
    for (size_t j = 0; joins && j < N; ++j) {
      joins = result.back().strides[j] == loop.strides[j] * loop.size;
    }
    if (joins) {
      result.back().size *= loop.size;
      result.back().strides = loop.strides;
    } else {
      result.push_back(loop);
    }
  }
  return result;
}

// Calls fn(offsets) for each step, the first loop outermost; once if there are
// no loops, never if a size is 0.
template <size_t N, typename Fn>
void ForEachOffset(absl::Span<const OffsetLoop<N>> loops, const Fn& fn,
                   std::array<int64_t, N> offsets = {}) {
  for (const OffsetLoop<N>& loop : loops) {
    if (loop.size <= 0) return;
  }
  absl::InlinedVector<int64_t, 6> index(loops.size(), 0);
  while (true) {
    fn(offsets);
    size_t i = loops.size();
    while (true) {
      if (i == 0) return;
      const OffsetLoop<N>& loop = loops[--i];
      const bool more = ++index[i] < loop.size;
      const int64_t steps = more ? 1 : 1 - loop.size;
      for (size_t j = 0; j < N; ++j) offsets[j] += loop.strides[j] * steps;
      if (more) break;
      index[i] = 0;
    }
  }
}
template <size_t N, typename Fn>
void ForEachOffset(const OffsetLoops<N>& loops, const Fn& fn,
                   std::array<int64_t, N> offsets = {}) {
  ForEachOffset<N>(absl::MakeConstSpan(loops), fn, offsets);
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_OFFSET_LOOPS_H_
