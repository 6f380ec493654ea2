// Surgery on while loops whose state is a tuple.
#ifndef HLOKIT_PASSES_CONTROL_WHILE_UTIL_H_
#define HLOKIT_PASSES_CONTROL_WHILE_UTIL_H_

#include <vector>

#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

// The while loops of a computation, in an order in which inner ones come
// before those that hold them when computations go callees first.
std::vector<Instruction*> LoopsOf(const Computation& computation);

// Whether body and condition are called by this loop alone, its state is a
// tuple, and the body's root is a tuple instruction: what the functions below
// ask for.
bool OwnsItsState(const Instruction& loop);
// Whether, besides, all uses of the state are of single elements: in body and
// condition, and of the result.
bool UsesElementsOnly(const Instruction& loop);

// The elements of `computation`'s parameter number 0 that exist already, by
// index; null where there is none.
std::vector<Instruction*> ElementsOf(const Computation& computation);

// Adds `values` (of the loop's computation) as elements that no iteration
// changes. Returns the new loop and the elements in the body. The old loop is
// removed.
struct WidenedLoop {
  Instruction* loop = nullptr;
  std::vector<Instruction*> in_body;
};
WidenedLoop AddInvariantElements(Instruction* loop,
                                 absl::Span<Instruction* const> values);

// Takes the elements away for which `keep` is false; nobody may need them:
// outside, in the condition, or in the body for an element that is kept.
// UsesElementsOnly must hold. Returns the new loop.
Instruction* KeepElements(Instruction* loop, const std::vector<bool>& keep);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_WHILE_UTIL_H_
