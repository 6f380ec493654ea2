// gather_expander: gather as dynamic-slices.
//
// A gather of one slice becomes one dynamic-slice, others a loop over the index
// vectors. Both operations clamp their starts, so out-of-range indices mean the
// same before and after.
#ifndef HLOKIT_PASSES_EXPAND_GATHER_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_GATHER_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class GatherExpander : public OpExpander {
 public:
  enum Mode {
    kAll,
    kSimple,  // only those that take one slice (no loop)
  };
  explicit GatherExpander(Mode mode = kSimple) : mode_(mode) {}
  absl::string_view name() const override { return "gather_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  Mode mode_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_GATHER_EXPANDER_H_
