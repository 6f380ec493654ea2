// dot_decomposer: brings dots into their canonical form [batch, m, k] x
// [batch, k, n] -> [batch, m, n].
//
// Batch dimensions come first; each operand has at most one free and exactly
// one contracting dimension, several are merged by a reshape. Operands are
// transposed and reshaped, the result is reshaped back. Dots that are in this
// form (also with the contracting dimension before or after the free one)
// stay; ragged and scaled dots as well.
#ifndef HLOKIT_PASSES_DOTS_DOT_DECOMPOSER_H_
#define HLOKIT_PASSES_DOTS_DOT_DECOMPOSER_H_

#include "passes/pass.h"

namespace hlokit {

class DotDecomposer : public Pass {
 public:
  absl::string_view name() const override { return "dot_decomposer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_DECOMPOSER_H_
