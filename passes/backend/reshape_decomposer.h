// reshape-decomposer: reshapes become bitcasts, for layouts are decided.
//
// Between descending layouts a reshape moves nothing: it is a bitcast. Another
// layout of the operand is first copied to the descending one, another layout
// of the result made by a copy afterwards. Types without layout, packed and
// tiled ones stay reshapes.
#ifndef HLOKIT_PASSES_BACKEND_RESHAPE_DECOMPOSER_H_
#define HLOKIT_PASSES_BACKEND_RESHAPE_DECOMPOSER_H_

#include "passes/pass.h"

namespace hlokit {

class ReshapeDecomposer : public Pass {
 public:
  absl::string_view name() const override { return "reshape-decomposer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_RESHAPE_DECOMPOSER_H_
