#include "passes/simplify/computation_deduplicator.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "passes/structural_equality.h"

namespace hlokit {
namespace {

// Equal for computations that may be the same.
size_t HashOf(const Computation& computation) {
  size_t hash = absl::HashOf(computation.instruction_count(),
                             computation.parameter_count());
  for (const Instruction* i : computation.PostOrder()) {
    hash = absl::HashOf(hash, static_cast<int>(i->opcode()),
                        i->shape().element_type(), i->shape().dimensions());
  }
  return hash;
}


// Fusions and asynchronous operations own what they call.
bool IsOwned(const Computation& computation) {
  return absl::c_any_of(computation.callers(), [](const Instruction* caller) {
    return caller->opcode() == Opcode::kFusion ||
           InfoOf(caller->opcode()).family == OpFamily::kAsync;
  });
}

}  // namespace

absl::StatusOr<bool> ComputationDeduplicator::Run(Module* module) {
  bool changed = false;
  absl::flat_hash_map<size_t, std::vector<Computation*>> seen;
  for (Computation* computation : module->TopologicalOrder()) {
    if (computation->IsEntry() || IsOwned(*computation) ||
        !RunsOn(*computation)) {
      continue;
    }
    std::vector<Computation*>& candidates = seen[HashOf(*computation)];
    Computation* first = nullptr;
    for (Computation* candidate : candidates) {
      if (SameComputation(*candidate, *computation)) {
        first = candidate;
        break;
      }
    }
    if (first == nullptr) {
      candidates.push_back(computation);
      continue;
    }
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
