#include "hlo/ir/padding.h"

#include <algorithm>
#include <limits>

namespace hlokit {

std::optional<int64_t> PaddedSize(const PaddingDimension& padding,
                                  int64_t size) {
  if (padding.interior < 0) return std::nullopt;
  const __int128 inner =
      static_cast<__int128>(std::max<int64_t>(size - 1, 0)) * padding.interior;
  const __int128 result = inner + size + padding.low + padding.high;
  if (result > std::numeric_limits<int64_t>::max() ||
      result < std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(result);
}

PadSpan PadSpanOf(const PaddingDimension& padding, int64_t size,
                  int64_t result_size) {
  const __int128 low = padding.low;
  const __int128 step = static_cast<__int128>(padding.interior) + 1;
  const __int128 first = low >= 0 ? 0 : (step - 1 - low) / step;
  const __int128 place = low + first * step;
  if (first >= size || place >= result_size) return {};
  PadSpan span;
  span.first = first;
  span.place = place;
  span.count =
      std::min<__int128>((result_size - 1 - place) / step + 1, size - first);
  if (span.count > 1) span.step = step;
  return span;
}

}  // namespace hlokit
