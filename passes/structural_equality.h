// Whether two instructions or computations are the same but for names, ids and
// metadata.
#ifndef HLOKIT_PASSES_STRUCTURAL_EQUALITY_H_
#define HLOKIT_PASSES_STRUCTURAL_EQUALITY_H_

#include "hlo/ir/module.h"

namespace hlokit {

struct EqualityOptions {
  bool layout_sensitive = true;
  // Calls nested deeper than this count as different: comparing every level of
  // a deep nest with all that is below would take quadratic time.
  int max_depth = 32;
};

// Opcode, type, number, attributes and called computations; operands are the
// caller's matter.
bool SameOperation(const Instruction& a, const Instruction& b,
                   const EqualityOptions& options = {});

// The whole computations, instruction by instruction in post order.
bool SameComputation(const Computation& a, const Computation& b,
                     const EqualityOptions& options = {});

}  // namespace hlokit

#endif  // HLOKIT_PASSES_STRUCTURAL_EQUALITY_H_
