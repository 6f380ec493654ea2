// dot_dimension_merger: several batch dimensions of a dot become one.
//
// They must follow one another in both operands in the same order. Operands and
// result are reshaped.
#ifndef HLOKIT_PASSES_DOTS_DOT_DIMENSION_MERGER_H_
#define HLOKIT_PASSES_DOTS_DOT_DIMENSION_MERGER_H_

#include "passes/pass.h"

namespace hlokit {

class DotDimensionMerger : public Pass {
 public:
  absl::string_view name() const override { return "dot_dimension_merger"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_DIMENSION_MERGER_H_
