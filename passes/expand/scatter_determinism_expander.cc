#include "passes/expand/scatter_determinism_expander.h"

namespace hlokit {

bool ScatterDeterminismExpander::Matches(const Instruction& i) const {
  return ScatterExpander::Matches(i) && !IsOrderFree(i);
}

}  // namespace hlokit
