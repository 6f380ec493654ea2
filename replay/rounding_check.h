// Tells results that are wrong from results that hang on roundings: the
// reference runs again with each instruction rounding up or down by chance, and
// an element that then differs by more than the bounds has no digits left that
// two correct programs must agree on. Cancellation, quotients of what is nearly
// zero, comparisons of nearly equal numbers and iterations that blow up do
// that. The method is stochastic arithmetic (J. Vignes, "A stochastic
// arithmetic for reliable scientific computation", 1993).
#ifndef HLOKIT_REPLAY_ROUNDING_CHECK_H_
#define HLOKIT_REPLAY_ROUNDING_CHECK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "hlo/ir/literal.h"
#include "replay/compare.h"

namespace hlokit {

// How many of the elements that differ between two results do so among runs of
// the reference as well.
struct RoundingCheck {
  int runs = 0;
  int64_t mismatches = 0;
  int64_t unstable = 0;
  // Those in arrays in which an element is unstable: what is computed alike is
  // sound or unsound alike, and a chance that misses one element finds another.
  int64_t in_unstable_arrays = 0;
  bool ExplainsAll() const { return in_unstable_arrays == mismatches; }
};

// `reference` is an executable of the interpreter and gave `expected` for the
// arguments under these options; `actual` is the other result, of the same
// shape. Executes the reference `runs` times more.
absl::StatusOr<RoundingCheck> CheckRounding(
    Executable* reference, absl::Span<const Literal> arguments,
    const ExecuteOptions& options, const Literal& expected,
    const Literal& actual, const ErrorSpec& spec, int runs = 4);

}  // namespace hlokit

#endif  // HLOKIT_REPLAY_ROUNDING_CHECK_H_
