// scan_expander: scan as a loop over its dimension that takes a slice of each
// input, runs the body and puts its outputs in place.
#ifndef HLOKIT_PASSES_EXPAND_SCAN_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_SCAN_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ScanExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "scan_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_SCAN_EXPANDER_H_
