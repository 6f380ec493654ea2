// all_to_all_decomposer: an all-to-all that splits one array becomes one of
// several arrays.
//
//   a = f32[8,6] all-to-all(x), dimensions={1}, replica_groups={{0,1,2}}
//     ->
//   x0 = f32[8,2] slice(x) ... x2 = f32[8,2] slice(x)
//   t = (f32[8,2], f32[8,2], f32[8,2]) all-to-all(x0, x1, x2)
//   a = f32[8,6] concatenate(t's elements), dimensions={1}
#ifndef HLOKIT_PASSES_EXPAND_ALL_TO_ALL_DECOMPOSER_H_
#define HLOKIT_PASSES_EXPAND_ALL_TO_ALL_DECOMPOSER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class AllToAllDecomposer : public OpExpander {
 public:
  absl::string_view name() const override { return "all_to_all_decomposer"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_ALL_TO_ALL_DECOMPOSER_H_
