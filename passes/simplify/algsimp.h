// algsimp: the algebraic simplifier, some hundred peephole rules.
//
// A rule looks at one instruction and its neighbourhood and gives what may
// stand for it. The rules are tables by opcode family, one file each
// (algsimp_rules.h); their names and what they do stand beside the functions.
// Work goes by a list: what is new, and users of what was replaced, is looked
// at again, until no rule applies any more. Cost is linear in the instructions
// and rewrites.
//
// As in XLA, rules keep values up to rounding, not bits: x / 3 becomes
// x * (1 / 3), (x * a) * b becomes x * (a * b); x * 0 and x - x stay for
// floats, for x may be NaN. Left alone: dynamic shapes, control dependencies,
// fusions' insides.
//
// Layout sensitive, for modules whose layouts are decided: a replacement must
// have the very layout of what it replaces.
#ifndef HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_
#define HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_

#include "passes/pass.h"

namespace hlokit {

class AlgebraicSimplifier : public Pass {
 public:
  explicit AlgebraicSimplifier(bool layout_sensitive = false)
      : layout_sensitive_(layout_sensitive) {}
  absl::string_view name() const override { return "algsimp"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  bool layout_sensitive_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_
