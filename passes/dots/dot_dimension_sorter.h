// dot_dimension_sorter: the contracting dimensions of a dot are named in the order
// in which the left operand has them, when neither side has them in order.
#ifndef HLOKIT_PASSES_DOTS_DOT_DIMENSION_SORTER_H_
#define HLOKIT_PASSES_DOTS_DOT_DIMENSION_SORTER_H_

#include "passes/pass.h"

namespace hlokit {

class DotDimensionSorter : public Pass {
 public:
  absl::string_view name() const override { return "dot_dimension_sorter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_DIMENSION_SORTER_H_
