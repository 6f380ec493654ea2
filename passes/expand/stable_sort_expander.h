// stable-sort-expander: stable sorts for devices whose sort is not.
//
// An iota along the sorted dimension is sorted as well; where the comparator
// finds neither of two elements before the other, the positions decide.
#ifndef HLOKIT_PASSES_EXPAND_STABLE_SORT_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_STABLE_SORT_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class StableSortExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "stable-sort-expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_STABLE_SORT_EXPANDER_H_
