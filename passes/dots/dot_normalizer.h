// dot_normalizer: outer products get a contracting dimension of size one, so that
// every dot has one.
#ifndef HLOKIT_PASSES_DOTS_DOT_NORMALIZER_H_
#define HLOKIT_PASSES_DOTS_DOT_NORMALIZER_H_

#include "passes/pass.h"

namespace hlokit {

class DotNormalizer : public Pass {
 public:
  absl::string_view name() const override { return "dot_normalizer"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_NORMALIZER_H_
