// dot-merger: dots that share an operand become one larger dot.
//
// dot(x, y) and dot(x, z) become dot(x, concatenate(y, z)) cut in two; so on
// the other side. The two contract alike, have the same precision and type, one
// free dimension on the side that differs, and neither needs the other. Results
// of more than `max_bytes` together stay apart.
#ifndef HLOKIT_PASSES_DOTS_DOT_MERGER_H_
#define HLOKIT_PASSES_DOTS_DOT_MERGER_H_

#include <cstdint>

#include "passes/pass.h"

namespace hlokit {

class DotMerger : public Pass {
 public:
  explicit DotMerger(int64_t max_bytes = int64_t{1} << 62)
      : max_bytes_(max_bytes) {}
  absl::string_view name() const override { return "dot-merger"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  int64_t max_bytes_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_DOTS_DOT_MERGER_H_
