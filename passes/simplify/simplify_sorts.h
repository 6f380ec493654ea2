// simplify-sorts: operands that a sort only carries along for nobody leave it.
//
// An operand goes when nobody uses its result and the comparator does not look
// at it. A sort of one operand left gives an array instead of a tuple.
#ifndef HLOKIT_PASSES_SIMPLIFY_SIMPLIFY_SORTS_H_
#define HLOKIT_PASSES_SIMPLIFY_SIMPLIFY_SORTS_H_

#include "passes/pass.h"

namespace hlokit {

class SimplifySorts : public Pass {
 public:
  absl::string_view name() const override { return "simplify-sorts"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_SIMPLIFY_SORTS_H_
