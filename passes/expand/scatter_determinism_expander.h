// scatter_determinism_expander: scatters whose result may depend on the order
// of the updates, as loops that fix it.
//
// Meant for devices that apply updates in any order. What is left alone:
// scatters with unique indices and those whose combiner is associative and
// commutative to the last bit (integers; minimum and maximum).
#ifndef HLOKIT_PASSES_EXPAND_SCATTER_DETERMINISM_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_SCATTER_DETERMINISM_EXPANDER_H_

#include "passes/expand/scatter_expander.h"

namespace hlokit {

class ScatterDeterminismExpander : public ScatterExpander {
 public:
  absl::string_view name() const override {
    return "scatter_determinism_expander";
  }

 protected:
  bool Matches(const Instruction& i) const override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_SCATTER_DETERMINISM_EXPANDER_H_
