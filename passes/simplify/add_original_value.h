// add-original-value: every instruction that has none gets an original value: it
// names itself, so that later passes can tell where their values come from. What
// only puts tuples together or takes them apart names what it hands on.
//
//   a = f32[4] add(x, y)              origin={{"a"}}
//   t = (f32[4], f32[4]) tuple(a, x)  origin={({"a"}, {"x"})}
#ifndef HLOKIT_PASSES_SIMPLIFY_ADD_ORIGINAL_VALUE_H_
#define HLOKIT_PASSES_SIMPLIFY_ADD_ORIGINAL_VALUE_H_

#include "passes/pass.h"

namespace hlokit {

class AddOriginalValue : public Pass {
 public:
  absl::string_view name() const override { return "add-original-value"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_ADD_ORIGINAL_VALUE_H_
