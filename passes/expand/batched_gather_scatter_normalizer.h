// batched_gather_scatter_normalizer: gathers and scatters without batching
// dimensions.
//
// A batching dimension of the operand becomes one that an index points into;
// the index is the position in the batch, from an iota joined to the index
// vectors. Indices that are too narrow for positions become s32.
#ifndef HLOKIT_PASSES_EXPAND_BATCHED_GATHER_SCATTER_NORMALIZER_H_
#define HLOKIT_PASSES_EXPAND_BATCHED_GATHER_SCATTER_NORMALIZER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class BatchedGatherScatterNormalizer : public OpExpander {
 public:
  absl::string_view name() const override {
    return "batched_gather_scatter_normalizer";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_BATCHED_GATHER_SCATTER_NORMALIZER_H_
