// Colours of nodes. One table: dot, svg and html look alike.
#ifndef HLOKIT_GRAPH_RENDER_PALETTE_H_
#define HLOKIT_GRAPH_RENDER_PALETTE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hlokit {

// The first ones are kinds of work, as XLA colours them.
enum class Fill : uint8_t {
  kWhite,      // element by element, and what has no family
  kYellow,     // broadcast, dynamic-update-slice
  kGreen,      // data movement
  kDarkBlue,   // dot, convolution, fft, solvers
  kOrange,     // small parameters and what uses them in its label
  kDarkOrange, // large parameters
  kPurple,     // reductions, scatter, gather, batch-norm
  kGrey,       // fusion, map, domain
  kBrown,      // communication
  kDarkGreen,  // call, conditional, custom-call, while
  kRed,        // removed
  kFresh,      // added
  kAmber,      // changed
  kPaper,      // the ground of a fusion
};
inline constexpr int kFillCount = 14;

struct FillColors {
  absl::string_view name;    // what it stands for, for legends
  absl::string_view fill;    // "#rrggbb"
  absl::string_view stroke;
  absl::string_view text;
};
const FillColors& ColorsOf(Fill fill);

// From this many elements on a parameter counts as large and an arrow is
// filled.
inline constexpr int64_t kLargeElements = 4096;

// By the opcode; of parameters by size.
Fill FillOf(const Instruction& instruction);

// Elements of the shape, of a tuple of all its parts.
int64_t AllElements(const Shape& shape);

// Ten steps from white to red, for numbers (times, bytes, differences).
absl::Span<const absl::string_view> HeatRamp();
// The step of `value` on a scale that ends at `max`: linear, 0 for none.
int HeatStep(double value, double max);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PALETTE_H_
