// broadcast_canonicalizer: broadcasts name their dimensions in order.
//
// The operand of one that does not is transposed first.
#ifndef HLOKIT_PASSES_SIMPLIFY_BROADCAST_CANONICALIZER_H_
#define HLOKIT_PASSES_SIMPLIFY_BROADCAST_CANONICALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class BroadcastCanonicalizer : public Pass {
 public:
  absl::string_view name() const override { return "broadcast_canonicalizer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_BROADCAST_CANONICALIZER_H_
