// algsimp: the algebraic simplifier, some hundred peephole rules.
//
// A rule looks at one instruction and its neighbourhood and gives what may
// stand for it. The rules are tables by opcode family, one file each
// (algsimp_rules.h); their names and what they do stand beside the functions.
// Work goes by a list: what is new, and users of what was replaced, is looked
// at again, until no rule applies any more. Cost is linear in the instructions
// and rewrites.
//
// As in XLA, some rules do not keep every bit of floats: x / 3 becomes
// x * (1 / 3). rewrites.def says which; exact_arithmetic leaves those out.
// Left alone: dynamic shapes, control dependencies, fusions' insides.
//
// Layout sensitive, for modules whose layouts are decided: a replacement must
// have the very layout of what it replaces.
#ifndef HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_
#define HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_

#include <optional>

#include "passes/pass.h"
#include "passes/rewrites.h"

namespace hlokit {

class AlgebraicSimplifier : public Pass {
 public:
  explicit AlgebraicSimplifier(bool layout_sensitive = false)
      : layout_sensitive_(layout_sensitive) {}
  absl::string_view name() const override { return "algsimp"; }
  absl::StatusOr<bool> Run(Module* module) override;
  // Applies the rules of this row of rewrites.def and no others.
  void set_only(Rewrite rewrite) { only_ = rewrite; }

 private:
  bool layout_sensitive_;
  std::optional<Rewrite> only_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_SIMPLIFY_ALGSIMP_H_
