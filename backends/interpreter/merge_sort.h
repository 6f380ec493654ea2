// A stable sort that comes to an end with any comparator, however senseless:
// comparators are user code here, and NaN makes many of them no order at all.
#ifndef HLOKIT_BACKENDS_INTERPRETER_MERGE_SORT_H_
#define HLOKIT_BACKENDS_INTERPRETER_MERGE_SORT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hlokit::interpreter {

// less(a, b): must a come before b? Called O(n log n) times. `scratch` is only
// there to be used again by the next call.
template <typename Item, typename Less>
void MergeSort(std::vector<Item>* items, std::vector<Item>* scratch,
               const Less& less) {
  const size_t n = items->size();
  scratch->resize(n);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t start = 0; start < n; start += 2 * width) {
      const size_t middle = std::min(start + width, n);
      const size_t end = std::min(start + 2 * width, n);
      size_t left = start, right = middle, out = start;
      // In order already: one call for the whole run.
      if (middle == end || !less((*items)[middle], (*items)[middle - 1])) {
        std::copy(items->begin() + start, items->begin() + end,
                  scratch->begin() + start);
        continue;
      }
      while (left < middle && right < end) {
        const bool take_right = less((*items)[right], (*items)[left]);
        (*scratch)[out++] = (*items)[take_right ? right++ : left++];
      }
      std::copy(items->begin() + left, items->begin() + middle,
                scratch->begin() + out);
      out += middle - left;
      std::copy(items->begin() + right, items->begin() + end,
                scratch->begin() + out);
    }
    items->swap(*scratch);
  }
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_MERGE_SORT_H_
