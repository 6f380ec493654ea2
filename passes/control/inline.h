// Putting the instructions of one computation into another.
#ifndef HLOKIT_PASSES_CONTROL_INLINE_H_
#define HLOKIT_PASSES_CONTROL_INLINE_H_

#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

// Copies all instructions of `source` but its parameters into `target`, with
// `arguments` (of target, by parameter number) in the parameters' place.
// Control dependencies come along. Returns the root's copy. Both must be of the
// same module, and different.
Instruction* CloneBody(Computation* target, const Computation& source,
                       absl::Span<Instruction* const> arguments);

// The same in place of `call`, an instruction whose operands are the only
// called computation's arguments; `call` is removed.
Instruction* InlineCall(Instruction* call);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_INLINE_H_
