// sharding-remover: takes away what only tells how values are spread.
//
// The custom calls Sharding, SPMDFullToShardShape, SPMDShardToFullShape and
// their like give their operand when the types agree: one device holds it all.
// Shardings of other instructions stay.
#ifndef HLOKIT_PASSES_SIMPLIFY_SHARDING_REMOVER_H_
#define HLOKIT_PASSES_SIMPLIFY_SHARDING_REMOVER_H_

#include "passes/pass.h"

namespace hlokit {

class ShardingRemover : public Pass {
 public:
  absl::string_view name() const override { return "sharding-remover"; }
  absl::StatusOr<bool> Run(Module* module) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_SHARDING_REMOVER_H_
