// conditional-canonicalizer: every conditional gives a tuple.
//
// One that gives an array gives a tuple of it, and its users take that apart.
// Branch computations that others call, too, are copied first.
#ifndef HLOKIT_PASSES_CONTROL_CONDITIONAL_CANONICALIZER_H_
#define HLOKIT_PASSES_CONTROL_CONDITIONAL_CANONICALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class ConditionalCanonicalizer : public Pass {
 public:
  absl::string_view name() const override {
    return "conditional-canonicalizer";
  }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_CONDITIONAL_CANONICALIZER_H_
