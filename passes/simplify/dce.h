// dce: removes what nobody needs.
//
// An instruction goes when it has no users, is not the root, has no side effect
// and no control dependencies. Parameters stay, also of called computations:
// their callers' operands say how many there are. Computations that the entry
// does not reach go as well.
#ifndef HLOKIT_PASSES_SIMPLIFY_DCE_H_
#define HLOKIT_PASSES_SIMPLIFY_DCE_H_

#include "passes/pass.h"

namespace hlokit {

class DeadCodeElimination : public Pass {
 public:
  absl::string_view name() const override { return "dce"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_DCE_H_
