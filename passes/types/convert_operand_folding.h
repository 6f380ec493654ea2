// convert_operand_folding: dots and convolutions take narrow integers as they
// are.
//
// A conversion to a wider integer type before a dot or convolution goes away;
// the result keeps its type, in which the operation is computed anyway.
#ifndef HLOKIT_PASSES_TYPES_CONVERT_OPERAND_FOLDING_H_
#define HLOKIT_PASSES_TYPES_CONVERT_OPERAND_FOLDING_H_

#include "passes/pass.h"

namespace hlokit {

class ConvertOperandFolding : public Pass {
 public:
  absl::string_view name() const override { return "convert_operand_folding"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_TYPES_CONVERT_OPERAND_FOLDING_H_
