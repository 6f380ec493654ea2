// control-dep-rewriter: a custom call control_dep of two values says that the
// second is to be computed after the first; a control dependency says it
// better.
//
//   k = () custom-call(a, b), custom_call_target="control_dep"
//     ->  b with control-predecessors={a}
//
// A call whose result somebody uses, or that asks for what the data forbids
// (the first value needs the second), is an error.
#ifndef HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REWRITER_H_
#define HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REWRITER_H_

#include "passes/pass.h"

namespace hlokit {

class ControlDepRewriter : public Pass {
 public:
  absl::string_view name() const override { return "control-dep-rewriter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_CONTROL_DEP_REWRITER_H_
