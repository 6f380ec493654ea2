// computation-deduplicator: callers of equal computations call one of them.
//
// Equal are computations that differ in names and metadata only. Fusions and
// asynchronous operations keep theirs, for they own what they call.
#ifndef HLOKIT_PASSES_SIMPLIFY_COMPUTATION_DEDUPLICATOR_H_
#define HLOKIT_PASSES_SIMPLIFY_COMPUTATION_DEDUPLICATOR_H_

#include "passes/pass.h"

namespace hlokit {

class ComputationDeduplicator : public Pass {
 public:
  absl::string_view name() const override { return "computation-deduplicator"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_COMPUTATION_DEDUPLICATOR_H_
