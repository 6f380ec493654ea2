// optimize_input_output_buffer_alias: results take donated parameters' buffers.
//
// A result that shares no buffer yet and a donated parameter (buffer_donor) of
// the same type become an alias (may-alias), and the donor is one no more. In
// order of results and donors.
#ifndef HLOKIT_PASSES_BACKEND_OPTIMIZE_INPUT_OUTPUT_BUFFER_ALIAS_H_
#define HLOKIT_PASSES_BACKEND_OPTIMIZE_INPUT_OUTPUT_BUFFER_ALIAS_H_

#include "passes/pass.h"

namespace hlokit {

class OptimizeInputOutputBufferAlias : public Pass {
 public:
  absl::string_view name() const override {
    return "optimize_input_output_buffer_alias";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_OPTIMIZE_INPUT_OUTPUT_BUFFER_ALIAS_H_
