// Where the sizes of a dynamic array are: an s32 for each dimension behind the
// elements up to the bounds (see BufferBytes in passes/analysis).
#ifndef HLOKIT_BACKENDS_CPU_DYNAMIC_SIZES_H_
#define HLOKIT_BACKENDS_CPU_DYNAMIC_SIZES_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace hlokit::cpu {

// The size of dimension `d` of an array whose elements take `bytes`, at most
// its bound.
inline int64_t DynamicSize(const void* array, int64_t bytes, int64_t d,
                           int64_t bound) {
  int32_t size;
  std::memcpy(&size, static_cast<const char*>(array) + bytes + 4 * d, 4);
  return std::clamp<int64_t>(size, 0, bound);
}

inline void SetDynamicSize(void* array, int64_t bytes, int64_t d,
                           int64_t size) {
  const int32_t narrow = static_cast<int32_t>(size);
  std::memcpy(static_cast<char*>(array) + bytes + 4 * d, &narrow, 4);
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_DYNAMIC_SIZES_H_
