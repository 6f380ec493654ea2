// select_and_scatter_expander: select-and-scatter as reduce-window and scatter.
//
// The windows are reduced to the position of the element that `select` keeps
// (positions are row-major numbers in the operand, -1 where the window touches
// no element); the source is then scattered to these positions of an array of
// initial values. Position -1 is out of bounds, hence left out.
#ifndef HLOKIT_PASSES_EXPAND_SELECT_AND_SCATTER_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_SELECT_AND_SCATTER_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class SelectAndScatterExpander : public OpExpander {
 public:
  absl::string_view name() const override {
    return "select_and_scatter_expander";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_SELECT_AND_SCATTER_EXPANDER_H_
