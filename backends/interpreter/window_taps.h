// Which elements a window touches in one dimension.
#ifndef HLOKIT_BACKENDS_INTERPRETER_WINDOW_TAPS_H_
#define HLOKIT_BACKENDS_INTERPRETER_WINDOW_TAPS_H_

#include <cstdint>
#include <vector>

#include "hlo/ir/op_attributes.h"

namespace hlokit::interpreter {

// Tap t of the window (t = first_tap + j * tap_step, j < count) lies on element
// first_index + j * index_step. Taps on padding and on the holes that base
// dilation makes are left out. Both steps are positive.
struct WindowTaps {
  int64_t count = 0;
  int64_t first_tap = 0;
  int64_t tap_step = 1;
  int64_t first_index = 0;
  int64_t index_step = 1;
};

// The taps at window position `output` over `size` elements:
//   index * base_dilation =
//       output * stride - padding_low + tap * window_dilation.
// Window reversal is not looked at. Takes the same time for any window.
WindowTaps TapsAt(const WindowDimension& window, int64_t size, int64_t output);

// Those of all positions.
std::vector<WindowTaps> AllTaps(const WindowDimension& window, int64_t size,
                                int64_t outputs);

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_WINDOW_TAPS_H_
