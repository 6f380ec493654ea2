// triangular_solve_expander: triangular-solve as products of blocks.
//
// All forms become left-sided, lower, not transposed ones by transposing and
// reversing. The diagonal blocks are inverted, all of them in one loop over
// their rows; then each block of the solution is its inverse times what the
// blocks above leave of the right side. A zero pivot gives NaN. The triangle
// that does not count is never looked at. Types under 32 bits are computed in
// f32. Systems of more than
// kMaxExpandedRows rows stay as they are.
#ifndef HLOKIT_PASSES_EXPAND_TRIANGULAR_SOLVE_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_TRIANGULAR_SOLVE_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class TriangularSolveExpander : public OpExpander {
 public:
  absl::string_view name() const override {
    return "triangular_solve_expander";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_TRIANGULAR_SOLVE_EXPANDER_H_
