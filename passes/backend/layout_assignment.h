// layout-assignment: decides how every array lies in memory.
//
// Row-major (descending) unless something asks for another layout: the entry's
// layout for its parameters and results, operand_layout_constraints and the
// result of a custom call, collectives with constrain_layout, infeed, outfeed,
// bitcasts and fusions that were there before. Element-wise chains lie as most
// of what they meet does (layout_choice.h), broadcasts and transposes read what
// lies in any order. Where what is asked for differs from what an operand has,
// a copy comes between; transposes and reshapes that move nothing become
// bitcasts:
//
//   p = f32[8,4]{0,1} parameter(0)       p = f32[8,4]{0,1} parameter(0)
//   t = transpose(p), {1,0}         ->   t = f32[4,8]{1,0} bitcast(p)
//   d = dot(p, ...)                      c = f32[8,4]{1,0} copy(p)
//                                        d = dot(c, ...)
//
// Copies keep their layouts. Layouts with tiles, memory spaces and the like
// keep all but their order.
#ifndef HLOKIT_PASSES_BACKEND_LAYOUT_ASSIGNMENT_H_
#define HLOKIT_PASSES_BACKEND_LAYOUT_ASSIGNMENT_H_

#include "passes/pass.h"

namespace hlokit {

class LayoutAssignment : public Pass {
 public:
  absl::string_view name() const override { return "layout-assignment"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_LAYOUT_ASSIGNMENT_H_
