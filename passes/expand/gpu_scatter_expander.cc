#include "passes/expand/gpu_scatter_expander.h"

namespace hlokit {

bool GpuScatterExpander::Matches(const Instruction& i) const {
  return ScatterExpander::Matches(i) &&
         (i.shape().IsTuple() || BitWidth(i.shape().element_type()) > 64);
}

}  // namespace hlokit
