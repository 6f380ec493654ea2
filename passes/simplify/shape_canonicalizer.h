// shape-canonicalizer: equal types share their storage.
//
// The module's text stays as it is, so this never counts as a change.
#ifndef HLOKIT_PASSES_SIMPLIFY_SHAPE_CANONICALIZER_H_
#define HLOKIT_PASSES_SIMPLIFY_SHAPE_CANONICALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class ShapeCanonicalizer : public Pass {
 public:
  absl::string_view name() const override { return "shape-canonicalizer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_SHAPE_CANONICALIZER_H_
