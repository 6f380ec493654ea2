// eigh_expander: custom-call Eigh (eigenvectors and ascending eigenvalues of
// Hermitian matrices) by cyclic Jacobi rotations.
//
// The matrix is kept as four quarters; one step makes the elements zero that
// join row i of the upper half with row i of the lower, for all i at once, and
// then moves the rows and columns round so that in n - 1 steps (a sweep) all
// pairs have met. Sweeps end when what is off the diagonal is small, or after
// the number that the backend_config ("lower,sort,sweeps,tolerance") names.
// Then follow the eigenvalues in order and vectors with them. Types under 32
// bits are computed in f32.
#ifndef HLOKIT_PASSES_EXPAND_EIGH_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_EIGH_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class EighExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "eigh_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_EIGH_EXPANDER_H_
