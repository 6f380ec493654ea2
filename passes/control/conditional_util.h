// Questions about conditionals, and their replacement.
#ifndef HLOKIT_PASSES_CONTROL_CONDITIONAL_UTIL_H_
#define HLOKIT_PASSES_CONTROL_CONDITIONAL_UTIL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/ir/module.h"
#include "passes/builders.h"

namespace hlokit {

std::vector<Instruction*> ConditionalsOf(const Computation& computation);

// The branch that a constant predicate or index takes: true is branch 0, an
// index out of range the last one.
std::optional<int64_t> KnownBranch(const Instruction& conditional);

// Whether executing the computation when it would not be does no harm: no side
// effects, loops, calls or the like.
bool MayExecuteAnyway(const Computation& branch);

// Puts all branches in the conditional's place and selects among their results
// (in tuples at any depth).
void ReplaceBySelect(Instruction* conditional);

}  // namespace hlokit

#endif  // HLOKIT_PASSES_CONTROL_CONDITIONAL_UTIL_H_
