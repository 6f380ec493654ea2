// AssumeGatherIndicesInBoundRewriteToCopy: the custom call
// AssumeGatherIndicesInBound becomes a copy of its operand.
#ifndef HLOKIT_PASSES_SIMPLIFY_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_
#define HLOKIT_PASSES_SIMPLIFY_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_

#include "passes/pass.h"

namespace hlokit {

class AssumeGatherIndicesInBoundRewriteToCopy : public Pass {
 public:
  absl::string_view name() const override {
    return "AssumeGatherIndicesInBoundRewriteToCopy";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_
