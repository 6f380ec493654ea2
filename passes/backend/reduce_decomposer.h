// reduce-decomposer: a reduction whose result is laid out otherwise than its
// operand without the reduced dimensions becomes one that is not, and a copy.
#ifndef HLOKIT_PASSES_BACKEND_REDUCE_DECOMPOSER_H_
#define HLOKIT_PASSES_BACKEND_REDUCE_DECOMPOSER_H_

#include "passes/pass.h"

namespace hlokit {

class ReduceDecomposer : public Pass {
 public:
  absl::string_view name() const override { return "reduce-decomposer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_REDUCE_DECOMPOSER_H_
