// all-reduce-simplifier: an all-reduce within groups of one device gives its
// operand.
#ifndef HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_SIMPLIFIER_H_
#define HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_SIMPLIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class AllReduceSimplifier : public Pass {
 public:
  absl::string_view name() const override { return "all-reduce-simplifier"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_COLLECTIVES_ALL_REDUCE_SIMPLIFIER_H_
