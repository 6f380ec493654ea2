// scatter_simplifier: brings scatters into their simple form.
//
// The indices become a matrix [n, index size], the scattered dimensions of the
// operands come first, no window dimension is inserted, and the updates are
// [n, window...]. Transposes and reshapes lead there and back. Scatters with
// batching dimensions stay.
#ifndef HLOKIT_PASSES_SIMPLIFY_SCATTER_SIMPLIFIER_H_
#define HLOKIT_PASSES_SIMPLIFY_SCATTER_SIMPLIFIER_H_

#include "passes/pass.h"

namespace hlokit {

class ScatterSimplifier : public Pass {
 public:
  absl::string_view name() const override { return "scatter_simplifier"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_SCATTER_SIMPLIFIER_H_
