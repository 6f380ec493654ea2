// cholesky_expander: cholesky by blocks of columns.
//
// A diagonal block is decomposed in a loop over its columns; what lies below is
// solved for with triangular-solve (see triangular_solve_expander). Only the
// named triangle is read; the other one of the result is zero; a matrix that is
// not positive definite gives NaN throughout. Types under 32 bits are computed
// in f32. Matrices of more than kMaxExpandedRows rows stay as they are.
#ifndef HLOKIT_PASSES_EXPAND_CHOLESKY_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_CHOLESKY_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class CholeskyExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "cholesky_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CHOLESKY_EXPANDER_H_
