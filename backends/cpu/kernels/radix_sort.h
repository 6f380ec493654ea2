// Stable sorting of items by an unsigned key in them, digit by digit.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_RADIX_SORT_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_RADIX_SORT_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/thread_pool.h"

namespace hlokit::cpu {

// Kinds of items: where the key lies, and what else there is.
struct Key32Item {  // nothing but the key
  uint32_t key;
  uint64_t Key() const { return key; }
};
struct Key32PayloadItem {
  uint32_t payload;
  uint32_t key;
  uint64_t Key() const { return key; }
};
struct Key64Item {
  uint64_t key;
  uint64_t Key() const { return key; }
};
struct Key64PayloadItem {
  uint64_t payload;
  uint64_t key;
  uint64_t Key() const { return key; }
};

template <typename Item>
inline constexpr int kRadixDigits = sizeof(decltype(Item::key));

// Sorts items[0..n) with the help of scratch[0..n); returns where the result
// lies, one of both.
template <typename Item>
Item* RadixSort(Item* items, Item* scratch, int64_t n) {
  constexpr int64_t kFew = 48;
  if (n <= kFew) {
    for (int64_t i = 1; i < n; ++i) {
      const Item item = items[i];
      int64_t j = i;
      for (; j > 0 && items[j - 1].Key() > item.Key(); --j) {
        items[j] = items[j - 1];
      }
      items[j] = item;
    }
    return items;
  }
  constexpr int kDigits = kRadixDigits<Item>;
  uint32_t counts[kDigits][256];
  std::memset(counts, 0, sizeof(counts));
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = items[i].Key();
    for (int d = 0; d < kDigits; ++d) ++counts[d][(key >> (8 * d)) & 255];
  }
  Item* from = items;
  Item* to = scratch;
  for (int d = 0; d < kDigits; ++d) {
    uint32_t* count = counts[d];
    // A digit that all have in common.
    if (count[(from[0].Key() >> (8 * d)) & 255] == n) continue;
    uint32_t start = 0;
    for (int i = 0; i < 256; ++i) {
      const uint32_t size = count[i];
      count[i] = start;
      start += size;
    }
    for (int64_t i = 0; i < n; ++i) {
      const Item item = from[i];
      to[count[(item.Key() >> (8 * d)) & 255]++] = item;
    }
    std::swap(from, to);
  }
  return from;
}

// Merges sorted a[0..na) and b[0..nb), of equal items those of a first: the
// part [begin, end) of the result goes to out[begin..end).
template <typename Item>
void MergePart(const Item* a, int64_t na, const Item* b, int64_t nb, Item* out,
               int64_t begin, int64_t end) {
  // How many of the first `begin` items come from a.
  int64_t low = std::max<int64_t>(0, begin - nb), high = std::min(begin, na);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (a[middle].Key() <= b[begin - middle - 1].Key()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int64_t i = low, j = begin - low;
  for (int64_t o = begin; o < end; ++o) {
    if (j >= nb || (i < na && a[i].Key() <= b[j].Key())) {
      out[o] = a[i++];
    } else {
      out[o] = b[j++];
    }
  }
}

// RadixSort with all threads of the pool.
template <typename Item>
Item* ParallelRadixSort(Item* items, Item* scratch, int64_t n,
                        ThreadPool* pool) {
  constexpr int64_t kWorthIt = 1 << 15;
  const int64_t threads = pool == nullptr ? 1 : pool->parallelism();
  if (threads == 1 || n < 2 * kWorthIt || n >= (int64_t{1} << 32)) {
    return RadixSort(items, scratch, n);
  }
  // A power of two of runs; a stable sort's result does not depend on it.
  int64_t runs = 1;
  while (runs < threads && n / (2 * runs) >= kWorthIt) runs *= 2;
  const int64_t size = (n + runs - 1) / runs;
  pool->ParallelFor(runs, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t first = std::min(n, r * size);
      const int64_t count = std::min(size, n - first);
      if (count <= 0) continue;
      Item* sorted = RadixSort(items + first, scratch + first, count);
      if (sorted != items + first) {
        std::memcpy(items + first, sorted, count * sizeof(Item));
      }
    }
  });
  Item* from = items;
  Item* to = scratch;
  for (int64_t width = size; width < n; width *= 2) {
    constexpr int64_t kPart = 1 << 14;
    pool->ParallelFor((n + kPart - 1) / kPart, 1,
                      [&](int64_t begin, int64_t end) {
      for (int64_t position = begin * kPart;
           position < std::min(n, end * kPart);) {
        // The pair of runs that this position lies in.
        const int64_t first = position / (2 * width) * (2 * width);
        const int64_t middle = std::min(n, first + width);
        const int64_t last = std::min(n, first + 2 * width);
        const int64_t stop = std::min(last, end * kPart);
        MergePart(from + first, middle - first, from + middle, last - middle,
                  to + first, position - first, stop - first);
        position = stop;
      }
    });
    std::swap(from, to);
  }
  return from;
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_RADIX_SORT_H_
