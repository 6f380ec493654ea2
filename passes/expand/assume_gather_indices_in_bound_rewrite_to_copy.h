// AssumeGatherIndicesInBoundRewriteToCopy: the custom-call that promises that
// indices are in range becomes a copy, for those who do not use the promise.
#ifndef HLOKIT_PASSES_EXPAND_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_
#define HLOKIT_PASSES_EXPAND_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class AssumeGatherIndicesInBoundRewriteToCopy : public OpExpander {
 public:
  absl::string_view name() const override {
    return "AssumeGatherIndicesInBoundRewriteToCopy";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_ASSUME_GATHER_INDICES_IN_BOUND_REWRITE_TO_COPY_H_
