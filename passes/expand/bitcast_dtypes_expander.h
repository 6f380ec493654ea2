// bitcast_dtypes_expander: bitcast-convert between types of different widths as
// arithmetic on integers.
//
//   u8[n,4] -> u32[n]: sum over the last dimension of x << (8 * position)
//   u32[n] -> u8[n,4]: low bits of x >> (8 * position)
//
// Other types go through the unsigned integer of their width.
#ifndef HLOKIT_PASSES_EXPAND_BITCAST_DTYPES_EXPANDER_H_
#define HLOKIT_PASSES_EXPAND_BITCAST_DTYPES_EXPANDER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class BitcastDtypesExpander : public OpExpander {
 public:
  absl::string_view name() const override { return "bitcast_dtypes_expander"; }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_BITCAST_DTYPES_EXPANDER_H_
