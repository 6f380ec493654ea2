// How often a counting while loop runs.
//
// Such a loop's state is a tuple; one scalar integer element starts at a
// constant, the body adds a constant to it, and the condition is one
// comparison of it with a constant (in place, or an element that starts as a
// constant and is never changed).
#ifndef HLOKIT_PASSES_ANALYSIS_LOOP_TRIP_COUNT_H_
#define HLOKIT_PASSES_ANALYSIS_LOOP_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "hlo/ir/instruction.h"

namespace hlokit {

struct CountedLoop {
  int64_t index = 0;  // of the counter in the state
  int64_t init = 0;
  int64_t step = 0;
  int64_t trip_count = 0;
};

// Empty for other loops, and where the counter would overflow.
std::optional<CountedLoop> FindCountedLoop(const Instruction& loop);

// Whether element `index` of the state is the same in every iteration: the
// body's root hands on what it got.
bool IsInvariantElement(const Instruction& loop, int64_t index);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_LOOP_TRIP_COUNT_H_
