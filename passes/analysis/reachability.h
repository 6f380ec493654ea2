// Which instructions of a computation another one needs.
#ifndef HLOKIT_PASSES_ANALYSIS_REACHABILITY_H_
#define HLOKIT_PASSES_ANALYSIS_REACHABILITY_H_

#include <cstdint>
#include <vector>

#include "hlo/ir/computation.h"

namespace hlokit {

// Whether `user` needs `used`: reaches it over operands and control
// predecessors. Searches backwards each time and looks at `limit` instructions
// at most; true when that is not enough to tell.
bool NeedsOrTooFar(const Instruction* user, const Instruction* used,
                   int64_t limit = 100'000);

// The whole relation of one computation as a bit matrix; quadratic in its
// instructions, so for small ones.
class ReachabilityMap {
 public:
  explicit ReachabilityMap(const Computation& computation);
  // Whether `user` needs `used`, or is it.
  bool Needs(const Instruction* user, const Instruction* used) const {
    return (rows_[user->id() * words_ + used->id() / 64] >>
            (used->id() % 64)) & 1;
  }

 private:
  int64_t words_;
  std::vector<uint64_t> rows_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_REACHABILITY_H_
