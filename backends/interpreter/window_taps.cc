#include "backends/interpreter/window_taps.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hlokit::interpreter {
namespace {

using Wide = __int128;

// Sizes and paddings may be anything an int64 holds.
Wide FloorDivide(Wide a, Wide b) {
  const Wide quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}
Wide CeilDivide(Wide a, Wide b) { return -FloorDivide(-a, b); }

// x with (a * x) % modulus == 1, for coprime a and modulus.
Wide Inverse(Wide a, Wide modulus) {
  Wide r = modulus, next_r = a % modulus, x = 0, next_x = 1;
  while (next_r != 0) {
    const Wide q = r / next_r;
    r -= q * next_r;
    std::swap(r, next_r);
    x -= q * next_x;
    std::swap(x, next_x);
  }
  return x < 0 ? x + modulus : x;
}

}  // namespace

WindowTaps TapsAt(const WindowDimension& window, int64_t size,
                  int64_t output) {
  WindowTaps taps;
  if (size == 0) return taps;
  // index * base = start + tap * dilation
  const Wide start = Wide{output} * window.stride - window.padding_low;
  const Wide base = window.base_dilation, dilation = window.window_dilation;
  const Wide first =
      std::max<Wide>(0, CeilDivide(-start, dilation));
  const Wide last = std::min<Wide>(
      window.size - 1, FloorDivide((Wide{size} - 1) * base - start, dilation));
  if (first > last) return taps;
  const int64_t common =
      std::gcd(window.base_dilation, window.window_dilation);
  if (start % common != 0) return taps;
  // Of `period` consecutive taps one is on an element.
  const Wide period = base / common;
  Wide tap = first;
  if (period > 1) {
    Wide wanted = (-start / common) % period;
    if (wanted < 0) wanted += period;
    wanted = wanted * Inverse(dilation / common, period) % period;
    Wide ahead = (wanted - first) % period;
    if (ahead < 0) ahead += period;
    tap += ahead;
  }
  if (tap > last) return taps;
  taps.count = static_cast<int64_t>((last - tap) / period) + 1;
  taps.first_tap = static_cast<int64_t>(tap);
  taps.tap_step = static_cast<int64_t>(period);
  taps.first_index = static_cast<int64_t>((start + tap * dilation) / base);
  taps.index_step = static_cast<int64_t>(dilation / common);
  return taps;
}

std::vector<WindowTaps> AllTaps(const WindowDimension& window, int64_t size,
                                int64_t outputs) {
  std::vector<WindowTaps> taps;
  taps.reserve(outputs);
  for (int64_t i = 0; i < outputs; ++i) {
    taps.push_back(TapsAt(window, size, i));
  }
  return taps;
}

}  // namespace hlokit::interpreter
