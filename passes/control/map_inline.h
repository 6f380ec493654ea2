// map-inline: a map of a computation becomes that computation on whole arrays.
//
// Works where every instruction of the computation has a form for arrays:
// element-wise operations, constants (spread), parameters. Others stay maps, and
// so do those that would together add more instructions than InliningBudget.
#ifndef HLOKIT_PASSES_CONTROL_MAP_INLINE_H_
#define HLOKIT_PASSES_CONTROL_MAP_INLINE_H_

#include "passes/pass.h"

namespace hlokit {

class MapInline : public Pass {
 public:
  absl::string_view name() const override { return "map-inline"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_MAP_INLINE_H_
