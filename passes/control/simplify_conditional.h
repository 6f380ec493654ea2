// simplify-conditional: conditionals whose branch is known or whose branches
// do little.
//
//   * a constant predicate or index: the branch that it names, in place
//   * one branch only, or all branches the same computation: that one
//   * branches that compute little and have no effects, of an array: a select
//     of both results
//   * elements of the result that nobody uses leave it
// Left alone: control dependencies, branches with side effects (except where
// the branch is known).
#ifndef HLOKIT_PASSES_CONTROL_SIMPLIFY_CONDITIONAL_H_
#define HLOKIT_PASSES_CONTROL_SIMPLIFY_CONDITIONAL_H_

#include "passes/pass.h"

namespace hlokit {

class SimplifyConditional : public Pass {
 public:
  absl::string_view name() const override { return "simplify-conditional"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_SIMPLIFY_CONDITIONAL_H_
