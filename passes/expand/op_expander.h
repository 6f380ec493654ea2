// The base of passes that replace one instruction by others that compute the
// same.
//
// Fusion bodies and what async-starts wrap are left alone. The replacement takes
// over users, control dependencies, sharding, frontend attributes and original
// value; new instructions carry the old one's metadata. A module that was
// scheduled no longer is when something was replaced.
#ifndef HLOKIT_PASSES_EXPAND_OP_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_OP_EXPANDER_H_

#include "absl/status/statusor.h"
#include "passes/expand/emitter.h"
#include "passes/pass.h"

namespace hlokit {

class OpExpander : public Pass {
 public:
  absl::StatusOr<bool> Run(Module* module) override;

 protected:
  // Whether the instruction is to be replaced. After a run no instruction
  // matches any more.
  virtual bool Matches(const Instruction& i) const = 0;
  // Writes the replacement: a value of i's type but for the layout. `e` writes
  // into i's computation.
  virtual absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) = 0;
};

// No operand or result has a dynamic dimension.
bool IsStatic(const Instruction& i);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_OP_EXPANDER_H_
