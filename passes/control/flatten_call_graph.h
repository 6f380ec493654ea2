// flatten-call-graph: gives every sequential call (call, while, conditional,
// async) a computation of its own.
//
// Computations that several such callers share, or one caller twice, are
// copied with everything they call sequentially. Embedded ones (reducers,
// comparators) stay shared.
#ifndef HLOKIT_PASSES_CONTROL_FLATTEN_CALL_GRAPH_H_
#define HLOKIT_PASSES_CONTROL_FLATTEN_CALL_GRAPH_H_

#include "passes/pass.h"

namespace hlokit {

class FlattenCallGraph : public Pass {
 public:
  absl::string_view name() const override { return "flatten-call-graph"; }
  // ResourceExhausted when the copies would be more than 5 million
  // instructions: nests of shared calls grow exponentially.
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_FLATTEN_CALL_GRAPH_H_
