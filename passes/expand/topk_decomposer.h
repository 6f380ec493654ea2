// topk-decomposer: topk instructions and TopK custom-calls become a sort and
// two slices.
//
// The values are sorted together with their positions; floats in their total
// order (NaN above inf), ties by position, as topk defines it.
#ifndef HLOKIT_PASSES_EXPAND_TOPK_DECOMPOSER_H_
#define HLOKIT_PASSES_EXPAND_TOPK_DECOMPOSER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class TopKDecomposer : public OpExpander {
 public:
  absl::string_view name() const override { return "topk-decomposer"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_TOPK_DECOMPOSER_H_
