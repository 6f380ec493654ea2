// tuple-simplifier: looks through tuples.
//
//   get-tuple-element(tuple(a, b), index=1)                       -> b
//   tuple(get-tuple-element(t, 0), ..., get-tuple-element(t, n-1)) -> t
//
// The second form needs every element of t, in order, and t's exact type.
// Instructions with control dependencies stay.
#ifndef HLOKIT_PASSES_SIMPLIFY_TUPLE_SIMPLIFIER_H_
#define HLOKIT_PASSES_SIMPLIFY_TUPLE_SIMPLIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class TupleSimplifier : public Pass {
 public:
  absl::string_view name() const override { return "tuple-simplifier"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_TUPLE_SIMPLIFIER_H_
