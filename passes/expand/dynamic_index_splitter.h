// dynamic-index-splitter: dynamic-slice and dynamic-update-slice whose starts
// are one vector get a scalar for each dimension instead.
#ifndef HLOKIT_PASSES_EXPAND_DYNAMIC_INDEX_SPLITTER_H_
#define HLOKIT_PASSES_EXPAND_DYNAMIC_INDEX_SPLITTER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class DynamicIndexSplitter : public OpExpander {
 public:
  absl::string_view name() const override { return "dynamic-index-splitter"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_DYNAMIC_INDEX_SPLITTER_H_
