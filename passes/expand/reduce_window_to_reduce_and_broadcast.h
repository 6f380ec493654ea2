// ReduceWindowToReduceAndBroadcast: reduce-windows whose windows, along each
// dimension, hold either one element each or all of them.
//
// Every output along the latter dimensions is the same: a reduce, broadcast.
#ifndef HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_TO_REDUCE_AND_BROADCAST_H_
#define HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_TO_REDUCE_AND_BROADCAST_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ReduceWindowToReduceAndBroadcast : public OpExpander {
 public:
  absl::string_view name() const override {
    return "ReduceWindowToReduceAndBroadcast";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_REDUCE_WINDOW_TO_REDUCE_AND_BROADCAST_H_
