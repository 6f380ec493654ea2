// Large blocks of memory in large pages.
#ifndef HLOKIT_BASE_HUGE_PAGES_H_
#define HLOKIT_BASE_HUGE_PAGES_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace hlokit {

// Asks for 2 MiB pages for what of the block [begin, begin + bytes) they fit
// into: reading through large arrays then misses fewer addresses. Does nothing
// for blocks under 4 MiB, and no harm where the system has no such pages.
inline void AdviseHugePages(void* begin, size_t bytes) {
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  if (bytes < 2 * kPage) return;
  const uintptr_t from = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (from + kPage - 1) / kPage * kPage;
  const uintptr_t end = (from + bytes) / kPage * kPage;
  madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace hlokit

#endif  // HLOKIT_BASE_HUGE_PAGES_H_
