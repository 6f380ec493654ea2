// ragged_dot_rewriter: ragged-dot as a dot.
//
// The left operand gets a further dimension, one entry for each group, that is
// zero outside the group's rows. Ragged rows: it is contracted with the right
// operand's groups. Ragged contraction: it becomes the result's first
// dimension. Ragged batches meet their own batch anyway: a plain dot.
//
// Zeros stand for "not of this group": an inf or NaN of the right operand makes
// NaN of rows of other groups as well.
#ifndef HLOKIT_PASSES_EXPAND_RAGGED_DOT_REWRITER_H_
#define HLOKIT_PASSES_EXPAND_RAGGED_DOT_REWRITER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class RaggedDotRewriter : public OpExpander {
 public:
  absl::string_view name() const override { return "ragged_dot_rewriter"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_RAGGED_DOT_REWRITER_H_
