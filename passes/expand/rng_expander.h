// rng-expander: uniform and normal random numbers from Philox bits.
//
// The key is the program's seed (custom-call GetRngSeed) with the instruction's
// number, replica and partition mixed in, the counter the running state of
// rng-get-and-update-state: every execution gives other numbers. Uniform floats
// are multiples of the type's last place in [0, 1), scaled; integers the
// remainder of 64 random bits; normal numbers come in pairs (Box and Muller).
#ifndef HLOKIT_PASSES_EXPAND_RNG_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_RNG_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class RngExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "rng-expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_RNG_EXPANDER_H_
