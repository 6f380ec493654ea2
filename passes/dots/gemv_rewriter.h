// gemv-rewriter: a dot of a matrix and a vector becomes one of two matrices, the
// vector having one row or column more.
//
//   dot([m,k], [k])  ->  reshape(dot([m,k], [k,1]))
#ifndef HLOKIT_PASSES_DOTS_GEMV_REWRITER_H_
#define HLOKIT_PASSES_DOTS_GEMV_REWRITER_H_

#include "passes/pass.h"

namespace hlokit {

class GemvRewriter : public Pass {
 public:
  absl::string_view name() const override { return "gemv-rewriter"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_GEMV_REWRITER_H_
