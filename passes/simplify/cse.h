// cse: merges instructions that compute the same value.
//
// Two instructions of one computation are the same when opcode, type (layout
// left aside unless layout sensitive), operands, attributes and what they call
// are the same; constants when their values are. Left alone: side effects,
// random numbers, instructions with control dependencies, parameters, and what
// must stay apart by its meaning (domain, opt-barrier, after-all, collectives
// with channels).
#ifndef HLOKIT_PASSES_SIMPLIFY_CSE_H_
#define HLOKIT_PASSES_SIMPLIFY_CSE_H_

#include "passes/pass.h"

namespace hlokit {

class CommonSubexpressionElimination : public Pass {
 public:
  explicit CommonSubexpressionElimination(bool layout_sensitive = false)
      : layout_sensitive_(layout_sensitive) {}
  absl::string_view name() const override { return "cse"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  bool layout_sensitive_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_CSE_H_
