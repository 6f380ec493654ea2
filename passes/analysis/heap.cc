#include "passes/analysis/heap.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hlokit {
namespace {

// Intervals sorted by start, with the latest end of each block of them: finds
// those that overlap a range without looking at all.
class IntervalIndex {
 public:
  explicit IntervalIndex(const std::vector<HeapBuffer>& buffers)
      : buffers_(buffers), by_start_(buffers.size()) {
    std::iota(by_start_.begin(), by_start_.end(), 0);
    std::stable_sort(by_start_.begin(), by_start_.end(), [&](int a, int b) {
      return buffers[a].range.start < buffers[b].range.start;
    });
    size_ = 1;
    while (size_ < by_start_.size()) size_ *= 2;
    latest_.assign(2 * size_, -1);
  }

  // From now on the buffer counts as placed.
  void Insert(size_t rank) {
    size_t node = size_ + rank;
    const int64_t end = buffers_[by_start_[rank]].range.end;
    for (; node >= 1; node /= 2) latest_[node] = std::max(latest_[node], end);
  }
  const std::vector<int>& by_start() const { return by_start_; }

  // Until `fn` returns false.
  template <typename Fn>
  void ForEachOverlap(const LiveRange& range, Fn fn) const {
    // Those that start at or before its end...
    const size_t limit =
        std::upper_bound(by_start_.begin(), by_start_.end(), range.end,
                         [&](int64_t end, int b) {
                           return end < buffers_[b].range.start;
                         }) -
        by_start_.begin();
    // ... and end at or after its start.
    Visit(1, 0, size_, limit, range.start, fn);
  }

 private:
  template <typename Fn>
  bool Visit(size_t node, size_t begin, size_t end, size_t limit,
             int64_t start, Fn& fn) const {
    if (begin >= limit || latest_[node] < start) return true;
    if (end - begin == 1) return fn(by_start_[begin]);
    const size_t middle = (begin + end) / 2;
    return Visit(2 * node, begin, middle, limit, start, fn) &&
           Visit(2 * node + 1, middle, end, limit, start, fn);
  }

  const std::vector<HeapBuffer>& buffers_;
  std::vector<int> by_start_;
  std::vector<int64_t> latest_;
  size_t size_;
};

int64_t RoundUp(int64_t x, int64_t alignment) {
  return (x + alignment - 1) / alignment * alignment;
}

// A piece of memory that is taken for some time.
struct Piece {
  int64_t begin, end;
  LiveRange range;
  bool operator<(const Piece& other) const {
    return std::pair(begin, end) < std::pair(other.begin, other.end);
  }
};

// The smallest gap that holds `size` between the pieces of `range`'s time, which
// are sorted; else the place behind all.
int64_t FindGap(const std::vector<Piece>& pieces, const LiveRange& range,
                int64_t size, int64_t alignment) {
  int64_t at = 0, best = -1, best_gap = 0;
  for (const Piece& piece : pieces) {
    if (!piece.range.Overlaps(range)) continue;
    const int64_t gap = piece.begin - at;
    if (gap >= size && (best < 0 || gap < best_gap)) {
      best = at;
      best_gap = gap;
    }
    at = std::max(at, RoundUp(piece.end, alignment));
  }
  return best >= 0 ? best : at;
}

}  // namespace

int64_t PackBuffers(std::vector<HeapBuffer>* buffers, int64_t alignment) {
  IntervalIndex index(*buffers);
  std::vector<size_t> rank(buffers->size());
  for (size_t r = 0; r < index.by_start().size(); ++r) {
    rank[index.by_start()[r]] = r;
  }
  std::vector<int> by_size(buffers->size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) {
    const HeapBuffer &x = (*buffers)[a], &y = (*buffers)[b];
    if (x.size != y.size) return x.size > y.size;
    return x.range.end - x.range.start > y.range.end - y.range.start;
  });
  int64_t total = 0;
  // Going through all, which are sorted already up to `sorted`, is quicker than
  // sorting many of them.
  std::vector<Piece> all, some;
  size_t sorted = 0;
  constexpr size_t kMany = 16;  // one in so many
  for (int b : by_size) {
    HeapBuffer& buffer = (*buffers)[b];
    buffer.offset = 0;
    if (buffer.size == 0) continue;
    some.clear();
    bool many = false;
    index.ForEachOverlap(buffer.range, [&](int other) {
      const HeapBuffer& o = (*buffers)[other];
      some.push_back({o.offset, o.offset + o.size, o.range});
      many = some.size() > 64 && some.size() * kMany > all.size();
      return !many;
    });
    if (many) {
      std::sort(all.begin() + sorted, all.end());
      std::inplace_merge(all.begin(), all.begin() + sorted, all.end());
      sorted = all.size();
    } else {
      std::sort(some.begin(), some.end());
    }
    buffer.offset = FindGap(many ? all : some, buffer.range, buffer.size,
                            alignment);
    total = std::max(total, buffer.offset + buffer.size);
    all.push_back({buffer.offset, buffer.offset + buffer.size, buffer.range});
    index.Insert(rank[b]);
  }
  return total;
}

int64_t PeakBytes(const std::vector<HeapBuffer>& buffers) {
  std::vector<std::pair<int64_t, int64_t>> events;  // time, bytes
  for (const HeapBuffer& b : buffers) {
    if (b.range.end < b.range.start) continue;
    events.emplace_back(b.range.start, b.size);
    events.emplace_back(b.range.end + 1, -b.size);
  }
  // What ends at a time goes before what begins there.
  std::sort(events.begin(), events.end());
  int64_t alive = 0, peak = 0;
  for (const auto& [time, bytes] : events) {
    alive += bytes;
    peak = std::max(peak, alive);
  }
  return peak;
}

}  // namespace hlokit
