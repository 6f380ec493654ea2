// comparison-expander: compares floats in their total order as integers.
//
// The bits of a float, read as a signed integer, are in order for positive
// numbers and in the opposite order for negative ones; flipping all but the
// sign of the latter gives -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
#ifndef HLOKIT_PASSES_EXPAND_COMPARISON_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_COMPARISON_EXPANDER_H_

#include <utility>
#include <vector>

#include "passes/expand/op_expander.h"

namespace hlokit {

class ComparisonExpander : public OpExpander {
 public:
  // `upcasts`: types whose values are converted to another float type first, of
  // comparisons that are not of the total order, too (for devices that cannot
  // compare them).
  using Upcasts = std::vector<std::pair<PrimitiveType, PrimitiveType>>;
  explicit ComparisonExpander(Upcasts upcasts = {})
      : upcasts_(std::move(upcasts)) {}
  absl::string_view name() const override { return "comparison-expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  PrimitiveType UpcastOf(PrimitiveType type) const;
  Upcasts upcasts_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_COMPARISON_EXPANDER_H_
