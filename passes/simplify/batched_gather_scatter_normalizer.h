// batched_gather_scatter_normalizer: gathers and scatters without batching
// dimensions.
//
// Numbers along the batching dimensions (an iota) join the indices; the
// operand's batching dimensions become collapsed (inserted) ones.
#ifndef HLOKIT_PASSES_SIMPLIFY_BATCHED_GATHER_SCATTER_NORMALIZER_H_
#define HLOKIT_PASSES_SIMPLIFY_BATCHED_GATHER_SCATTER_NORMALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class BatchedGatherScatterNormalizer : public Pass {
 public:
  absl::string_view name() const override {
    return "batched_gather_scatter_normalizer";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_BATCHED_GATHER_SCATTER_NORMALIZER_H_
