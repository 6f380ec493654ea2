// Which computations have side effects, all of a module at once.
//
// Instruction::HasSideEffect walks through everything that an instruction
// calls; asked for every instruction of a deep nest that is quadratic. This
// answers the same question from a table that is made once. Computations that
// came later are asked directly.
#ifndef HLOKIT_PASSES_ANALYSIS_EFFECTS_H_
#define HLOKIT_PASSES_ANALYSIS_EFFECTS_H_

#include "absl/container/flat_hash_map.h"
#include "hlo/ir/module.h"

namespace hlokit {

class EffectMap {
 public:
  explicit EffectMap(const Module& module);
  bool HasSideEffect(const Instruction& i) const;

 private:
  absl::flat_hash_map<const Computation*, bool> effects_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_ANALYSIS_EFFECTS_H_
