#include "backends/cpu/kernels/strided_move.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/transpose_tile.h"

namespace hlokit::cpu {
namespace {

struct Wide16Bytes {
  uint64_t halves[2];
};

// Bytes that one thread moves before another may take over.
constexpr int64_t kMovePiece = 1 << 18;
// Transposes of so much go past the caches.
constexpr int64_t kStreamFrom = 1 << 23;

void CopyBytes(const char* source, char* target, int64_t bytes) {
  switch (bytes) {
    case 8:
      std::memcpy(target, source, 8);
      return;
    case 16:
      std::memcpy(target, source, 16);
      return;
    case 32:
      std::memcpy(target, source, 32);
      return;
    case 64:
      std::memcpy(target, source, 64);
      return;
    default:
      std::memcpy(target, source, bytes);
  }
}

template <typename T>
void CopyReversed(const T* source, T* target, int64_t count) {
  int64_t i = 0;
  if constexpr (sizeof(T) < 16) {
    constexpr int64_t kN = 16 / sizeof(T);
    using V = Simd<typename T::Value, 16>;
    for (; i + kN <= count; i += kN) {
      const V v = LoadVector<V>(source - i - (kN - 1));
      V back;
      if constexpr (kN == 16) {
        back = __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6,
                                       5, 4, 3, 2, 1, 0);
      } else if constexpr (kN == 8) {
        back = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
      } else if constexpr (kN == 4) {
        back = __builtin_shufflevector(v, v, 3, 2, 1, 0);
      } else {
        back = __builtin_shufflevector(v, v, 1, 0);
      }
      StoreVector<V>(target + i, back);
    }
  }
  for (; i < count; ++i) target[i] = source[-i];
}

}  // namespace

StridedMove::StridedMove(absl::Span<const MoveLoop> loops,
                         int64_t element_bytes)
    : element_bytes_(element_bytes) {
  absl::InlinedVector<MoveLoop, 6> sorted;
  bytes_ = element_bytes;
  for (const MoveLoop& loop : loops) {
    bytes_ *= loop.size;
    if (loop.size != 1) sorted.push_back(loop);
  }
  if (bytes_ == 0) return;
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const MoveLoop& a, const MoveLoop& b) { return a.target > b.target; });
  for (const MoveLoop& loop : sorted) {
    if (!outer_.empty() && outer_.back().source == loop.source * loop.size &&
        outer_.back().target == loop.target * loop.size) {
      outer_.back() = {outer_.back().size * loop.size, loop.source,
                       loop.target};
    } else {
      outer_.push_back(loop);
    }
  }
  if (outer_.empty()) outer_.push_back({1, 1, 1});
  inner_ = outer_.back();
  outer_.pop_back();
  // Rows of two to sixteen bytes are elements of their own.
  while (inner_.source == 1 && inner_.target == 1 && element_bytes_ < 16 &&
         inner_.size % 2 == 0 && !outer_.empty()) {
    bool even = true;
    for (const MoveLoop& loop : outer_) {
      even = even && loop.source % 2 == 0 && loop.target % 2 == 0;
    }
    if (!even || inner_.size * element_bytes_ > 16) break;
    for (MoveLoop& loop : outer_) {
      loop.source /= 2;
      loop.target /= 2;
    }
    element_bytes_ *= 2;
    inner_.size /= 2;
    if (inner_.size == 1) {
      inner_ = outer_.back();
      outer_.pop_back();
    }
  }
  kind_ = Kind::kElements;
  int64_t row = inner_.size;  // elements a piece
  if (inner_.source == 1 && inner_.target == 1) {
    kind_ = Kind::kRows;
  } else if (inner_.source == 0 && inner_.target == 1) {
    kind_ = Kind::kFill;
  } else if (inner_.source == -1 && inner_.target == 1) {
    kind_ = Kind::kReverse;
  } else if (inner_.target == 1) {
    for (size_t i = outer_.size(); i-- > 0;) {
      if (outer_[i].source != 1) continue;
      kind_ = Kind::kTranspose;
      reader_ = outer_[i];
      outer_.erase(outer_.begin() + i);
      // Few enough rows that blocks of the target stay in the cache.
      block_size_ = std::clamp<int64_t>(
          (1 << 16) / (inner_.size * element_bytes_), 64, 1024);
      blocks_ = (reader_.size + block_size_ - 1) / block_size_;
      row = inner_.size * std::min(reader_.size, block_size_);
      break;
    }
  }
  if (kind_ != Kind::kTranspose) {
    block_size_ = std::max<int64_t>(1, kMovePiece / element_bytes_);
    blocks_ = (inner_.size + block_size_ - 1) / block_size_;
    row = std::min(inner_.size, block_size_);
  }
  pieces_ = blocks_;
  for (const MoveLoop& loop : outer_) pieces_ *= loop.size;
  piece_bytes_ = row * element_bytes_;
}

template <typename T>
void StridedMove::RunPiecesAs(const char* source_bytes, char* target_bytes,
                              int64_t begin, int64_t end) const {
  const T* source = reinterpret_cast<const T*>(source_bytes);
  T* target = reinterpret_cast<T*>(target_bytes);
  // The position in the outer loops; the blocks are the innermost of them.
  absl::InlinedVector<int64_t, 6> index(outer_.size(), 0);
  int64_t from = 0, to = 0, rest = begin / blocks_;
  for (size_t i = outer_.size(); i-- > 0;) {
    index[i] = rest % outer_[i].size;
    rest /= outer_[i].size;
    from += index[i] * outer_[i].source;
    to += index[i] * outer_[i].target;
  }
  int64_t block = begin % blocks_;
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t first = block * block_size_;
    if (kind_ == Kind::kTranspose) {
      TransposeBlock<T>(source + from + first, inner_.source,
                        target + to + first * reader_.target, reader_.target,
                        std::min(block_size_, reader_.size - first),
                        inner_.size, bytes_ >= kStreamFrom);
    } else {
      const T* s = source + from + first * inner_.source;
      T* t = target + to + first * inner_.target;
      const int64_t count = std::min(block_size_, inner_.size - first);
      if (kind_ == Kind::kRows) {
        CopyBytes(reinterpret_cast<const char*>(s), reinterpret_cast<char*>(t),
                  count * static_cast<int64_t>(sizeof(T)));
      } else if (kind_ == Kind::kFill) {
        std::fill_n(t, count, *s);
      } else if (kind_ == Kind::kReverse) {
        CopyReversed(s, t, count);
      } else if (inner_.target == 1) {
        const int64_t step = inner_.source;
        for (int64_t i = 0; i < count; ++i) t[i] = s[i * step];
      } else {
        for (int64_t i = 0; i < count; ++i) {
          t[i * inner_.target] = s[i * inner_.source];
        }
      }
    }
    if (++block < blocks_) continue;
    block = 0;
    for (size_t i = outer_.size(); i-- > 0;) {
      from += outer_[i].source;
      to += outer_[i].target;
      if (++index[i] < outer_[i].size) break;
      from -= outer_[i].source * outer_[i].size;
      to -= outer_[i].target * outer_[i].size;
      index[i] = 0;
    }
  }
}

void StridedMove::RunPieces(const char* source, char* target, int64_t begin,
                            int64_t end) const {
  switch (element_bytes_) {
    case 1:
      return RunPiecesAs<MoveUnit<uint8_t>>(source, target, begin, end);
    case 2:
      return RunPiecesAs<MoveUnit<uint16_t>>(source, target, begin, end);
    case 4:
      return RunPiecesAs<MoveUnit<uint32_t>>(source, target, begin, end);
    case 8:
      return RunPiecesAs<MoveUnit<uint64_t>>(source, target, begin, end);
    default:
      return RunPiecesAs<MoveUnit<Wide16Bytes>>(source, target, begin, end);
  }
}

void StridedMove::Run(const void* source, void* target,
                      ThreadPool* pool) const {
  if (bytes_ == 0) return;
  const char* from = static_cast<const char*>(source);
  char* to = static_cast<char*>(target);
  if (pool == nullptr || bytes_ < 2 * kMovePiece || pool->parallelism() == 1) {
    return RunPieces(from, to, 0, pieces_);
  }
  pool->ParallelFor(pieces_, GrainFor(piece_bytes_, kMovePiece),
                    [&](int64_t begin, int64_t end) {
                      RunPieces(from, to, begin, end);
                    });
}

}  // namespace hlokit::cpu
