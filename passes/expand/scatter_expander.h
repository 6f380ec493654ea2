// scatter_expander: scatter as a loop over the index vectors.
//
// Each step takes the window out of the operands, combines it with its updates
// and writes it back; a window that does not fit leaves the operands as they
// are. The steps follow the row-major order of the index vectors, so the result
// is the same on every device.
#ifndef HLOKIT_PASSES_EXPAND_SCATTER_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_SCATTER_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ScatterExpander : public OpExpander {
 public:
  enum Mode {
    kAll,
    kSimple,            // only those with one index vector (no loop)
    kNondeterministic,  // only those whose result may depend on the order
  };
  explicit ScatterExpander(Mode mode = kAll) : mode_(mode) {}
  absl::string_view name() const override { return "scatter_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  Mode mode_;
};

// Whether the order of the updates cannot be seen: unique indices, or a
// combiner that is associative and commutative to the last bit.
bool IsOrderFree(const Instruction& scatter);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_SCATTER_EXPANDER_H_
