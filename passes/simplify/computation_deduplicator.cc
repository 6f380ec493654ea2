#include "passes/simplify/computation_deduplicator.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "passes/structural_equality.h"

namespace hlokit {
namespace {

// Fusions and asynchronous operations own what they call.
bool IsOwned(const Computation& computation) {
  return absl::c_any_of(computation.callers(), [](const Instruction* caller) {
    return caller->opcode() == Opcode::kFusion ||
           InfoOf(caller->opcode()).family == OpFamily::kAsync;
  });
}

// By computation the first one that is the same.
using FirstOnes = absl::flat_hash_map<const Computation*, Computation*>;

// Equal for computations that may be the same; `first_ones` knows the callees.
size_t HashOf(const Computation& computation, const FirstOnes& first_ones) {
  size_t hash =
      absl::HashOf(IsOwned(computation), computation.instruction_count(),
                   computation.parameter_count());
  for (const Instruction* i : computation.PostOrder()) {
    hash = absl::HashOf(hash, static_cast<int>(i->opcode()),
                        i->shape().element_type(), i->shape().dimensions());
    for (const Computation* called : i->called_computations()) {
      hash = absl::HashOf(hash, first_ones.at(called));
    }
  }
  return hash;
}

}  // namespace

absl::StatusOr<bool> ComputationDeduplicator::Run(Module* module) {
  bool changed = false;
  absl::flat_hash_map<size_t, std::vector<Computation*>> seen;
  FirstOnes first_ones;
  for (Computation* computation : module->TopologicalOrder()) {
    Computation*& first = first_ones[computation];
    first = computation;
    if (computation->IsEntry() || !RunsOn(*computation)) continue;
    const bool owned = IsOwned(*computation);
    std::vector<Computation*>& candidates =
        seen[HashOf(*computation, first_ones)];
    const auto same = absl::c_find_if(candidates, [&](Computation* candidate) {
      return IsOwned(*candidate) == owned &&
             SameComputation(*candidate, *computation);
    });
    if (same == candidates.end()) {
      candidates.push_back(computation);
      continue;
    }
    first = *same;
    if (owned) continue;
    const std::vector<Instruction*> callers(computation->callers().begin(),
                                            computation->callers().end());
    for (Instruction* caller : callers) {
      caller->ReplaceCalledComputation(computation, first);
      changed = true;
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
