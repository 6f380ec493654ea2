// associative-scan-rewriter: scans that are associative become cumulative
// reduce-windows (which reduce-window-rewriter makes trees of).
//
// Taken are scans marked is_associative=true whose body combines each input
// with its carry by one operation that commutes (add, multiply, minimum,
// maximum, and, or) and gives new carries as outputs.
#ifndef HLOKIT_PASSES_EXPAND_ASSOCIATIVE_SCAN_REWRITER_H_
#define HLOKIT_PASSES_EXPAND_ASSOCIATIVE_SCAN_REWRITER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class AssociativeScanRewriter : public OpExpander {
 public:
  absl::string_view name() const override {
    return "associative-scan-rewriter";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_ASSOCIATIVE_SCAN_REWRITER_H_
