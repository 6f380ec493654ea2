// Gather and scatter: windows of an array at places that index vectors say.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_INDEX_WINDOWS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_INDEX_WINDOWS_H_

#include <cstdint>
#include <numeric>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/indices.h"

namespace hlokit::cpu {

class IndexWindows {
 public:
  // `windowed` is the operand; `sizes` of a window in each of its dimensions.
  // The attributes are those of interpreter::IndexMap. `others` are the strides
  // of the result's (the updates') dimensions that are no window dimensions.
  IndexWindows(const ArrayView& indices, int64_t index_vector_dim,
               absl::Span<const int64_t> map,
               absl::Span<const int64_t> operand_batching,
               absl::Span<const int64_t> indices_batching,
               const ArrayView& windowed, absl::Span<const int64_t> sizes,
               absl::Span<const int64_t> others)
      : type_(indices.type) {
    DimensionVector batch_of(indices.rank(), -1);
    for (int64_t d = 0; d < indices.rank(); ++d) {
      if (d == index_vector_dim) continue;
      batch_of[d] = batch_.size();
      batch_.push_back({indices.sizes[d], indices.strides[d],
                        others[batch_.size()], 0});
      count_ *= indices.sizes[d];
    }
    const int64_t step = index_vector_dim == indices.rank()
                             ? 0
                             : indices.strides[index_vector_dim];
    for (size_t i = 0; i < map.size(); ++i) {
      const int64_t d = map[i];
      components_.push_back({static_cast<int64_t>(i) * step,
                             windowed.sizes[d] - sizes[d],
                             windowed.strides[d]});
    }
    for (size_t i = 0; i < operand_batching.size(); ++i) {
      batch_[batch_of[indices_batching[i]]].operand =
          windowed.strides[operand_batching[i]];
    }
  }

  int64_t count() const { return count_; }

  // What all places in the operand are multiples of; 0 when all are 0.
  int64_t PlaceStep() const {
    int64_t step = 0;
    for (const Component& c : components_) {
      if (c.room > 0) step = std::gcd(step, c.stride);
    }
    for (const Batch& b : batch_) step = std::gcd(step, b.operand);
    return step;
  }

  // Where the windows [begin, begin + count) lie, in row-major order of the
  // index vectors, in the operand and in the other array; clamped into the
  // operand, or (kClamp false) -1 for those that do not lie in it.
  template <bool kClamp>
  void Places(const void* indices, int64_t begin, int64_t count,
              int64_t* operand_places, int64_t* other_places) const {
    if (batch_.size() == 1 && components_.size() == 1 &&
        batch_[0].operand == 0) {
      for (int64_t i = 0; i < count; ++i) {
        other_places[i] = (begin + i) * batch_[0].other;
      }
      switch (type_) {
        case kS32:
          return PlacesInRow<int32_t, kClamp>(indices, begin, count,
                                              operand_places);
        case kU32:
          return PlacesInRow<uint32_t, kClamp>(indices, begin, count,
                                               operand_places);
        case kS64:
          return PlacesInRow<int64_t, kClamp>(indices, begin, count,
                                              operand_places);
        default:
          break;
      }
    }
    absl::InlinedVector<int64_t, 4> position(batch_.size());
    int64_t at = 0, operand = 0, other = 0, rest = begin;
    for (size_t d = batch_.size(); d-- > 0;) {
      position[d] = rest % batch_[d].size;
      rest /= batch_[d].size;
      at += position[d] * batch_[d].index;
      operand += position[d] * batch_[d].operand;
      other += position[d] * batch_[d].other;
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t start = operand;
      bool inside = true;
      for (const Component& c : components_) {
        int64_t value = IndexAt(type_, indices, at + c.offset);
        if (kClamp) {
          value = value < 0 ? 0 : value > c.room ? c.room : value;
        } else {
          inside = inside && value >= 0 && value <= c.room;
        }
        start += inside ? value * c.stride : 0;
      }
      operand_places[i] = inside ? start : -1;
      other_places[i] = other;
      for (size_t d = batch_.size(); d-- > 0;) {
        const Batch& b = batch_[d];
        at += b.index;
        operand += b.operand;
        other += b.other;
        if (++position[d] < b.size) break;
        at -= b.index * b.size;
        operand -= b.operand * b.size;
        other -= b.other * b.size;
        position[d] = 0;
      }
    }
  }

  // Calls fn(places in the operand, places in the other array, how many) for
  // the windows [begin, end), some at a time.
  template <bool kClamp, typename Fn>
  void ForEachSome(const void* indices, int64_t begin, int64_t end,
                   const Fn& fn) const {
    constexpr int64_t kSome = 512;
    int64_t operand[kSome], other[kSome];
    for (int64_t i = begin; i < end; i += kSome) {
      const int64_t count = end - i < kSome ? end - i : kSome;
      Places<kClamp>(indices, i, count, operand, other);
      fn(operand, other, count);
    }
  }

  // Calls fn(place in the operand, place in the other array) for each.
  template <bool kClamp, typename Fn>
  void ForEach(const void* indices, int64_t begin, int64_t end,
               const Fn& fn) const {
    ForEachSome<kClamp>(
        indices, begin, end,
        [&](const int64_t* operand, const int64_t* other, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            if (kClamp || operand[i] >= 0) fn(operand[i], other[i]);
          }
        });
  }

 private:
  template <typename Index, bool kClamp>
  void PlacesInRow(const void* indices, int64_t begin, int64_t count,
                   int64_t* places) const {
    const Index* from = static_cast<const Index*>(indices) +
                        begin * batch_[0].index + components_[0].offset;
    const int64_t step = batch_[0].index;
    const int64_t room = components_[0].room, stride = components_[0].stride;
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = static_cast<int64_t>(from[i * step]);
      if constexpr (kClamp) {
        value = value < 0 ? 0 : value > room ? room : value;
        places[i] = value * stride;
      } else {
        // Negative ones are large as unsigned numbers.
        const bool inside =
            static_cast<uint64_t>(value) <= static_cast<uint64_t>(room);
        places[i] = inside ? value * stride : -1;
      }
    }
  }

  struct Batch {
    int64_t size, index, other, operand;
  };
  struct Component {
    int64_t offset, room, stride;
  };
  PrimitiveType type_;
  absl::InlinedVector<Batch, 4> batch_;
  absl::InlinedVector<Component, 4> components_;
  int64_t count_ = 1;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_INDEX_WINDOWS_H_
