// gpu_scatter_expander: loops for the scatters that GPUs have no atomic
// operation for: several operands, and elements wider than 64 bits.
#ifndef HLOKIT_PASSES_EXPAND_GPU_SCATTER_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_GPU_SCATTER_EXPANDER_H_

#include "passes/expand/scatter_expander.h"

namespace hlokit {

class GpuScatterExpander : public ScatterExpander {
 public:
  absl::string_view name() const override { return "gpu_scatter_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_GPU_SCATTER_EXPANDER_H_
