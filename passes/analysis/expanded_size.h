// How many instructions a computation runs, once every call inside it is written
// out.
//
// Computations that call each other twice per level double at every level: forty
// levels of two lines run 10^12 instructions. Inliners and backends ask here
// before they start on such work.
#ifndef HLOKIT_PASSES_ANALYSIS_EXPANDED_SIZE_H_
#define HLOKIT_PASSES_ANALYSIS_EXPANDED_SIZE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "hlo/ir/module.h"

namespace hlokit {

// The most instructions that a backend runs in one go, loops and repeated
// elements not counted.
inline constexpr int64_t kMaxExpandedInstructions = 10'000'000;
// The instructions that an inliner may add to a small module.
inline constexpr int64_t kMaxInlinedInstructions = 200'000;
// Returns what it may add to this one: that, or four times what the module has.
int64_t InliningBudget(const Module& module);

// Counts the instructions of computations with everything that they call: the
// bodies of loops, maps and reducers once, and of a conditional the largest
// branch. Takes time linear in what is called; counts stop at the largest
// int64_t.
class ExpandedSizes {
 public:
  // Returns the count of a computation and what it calls.
  int64_t SizeOf(const Computation& computation);

 private:
  void Count(const Computation& computation);

  absl::flat_hash_map<const Computation*, int64_t> sizes_;
};

// Returns ResourceExhausted when one run of the entry takes more than
// kMaxExpandedInstructions instructions.
absl::Status CheckExpandedSize(const Module& module);
// Does the same for what one instruction calls, with a limit for work that is
// optional, such as folding: kMaxInlinedInstructions.
absl::Status CheckExpandedSize(const Instruction& instruction);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_EXPANDED_SIZE_H_
