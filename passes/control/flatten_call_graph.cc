#include "passes/control/flatten_call_graph.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "passes/analysis/call_graph.h"

namespace hlokit {
namespace {

constexpr int64_t kMaxInstructions = 5'000'000;

// A copy of `source` that shares what it calls.
Computation* CopyShallow(Module* module, const Computation& source) {
  auto copy = Computation::Create(module, source.name());
  copy->set_execution_thread(source.execution_thread());
  std::vector<Instruction*> copies(source.id_limit());
  std::vector<Instruction*> operands;
  for (const Instruction* i : source.PostOrder()) {
    operands.clear();
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies[operand->id()]);
    }
    Instruction* clone = copy->AddClone(*i, i->shape(), operands);
    for (const Instruction* p : i->control_predecessors()) {
      clone->AddControlPredecessor(copies[p->id()]);
    }
    copies[i->id()] = clone;
  }
  copy->set_root(copies[source.root()->id()]);
  return module->AddComputation(std::move(copy));
}

// Whether what the instruction calls must be called by nothing else. Copies of
// computations share the bodies of their fusions at first, which have one owner.
bool NeedsOwnCallee(const Instruction* i) {
  return ContextOf(i->opcode()) == CallContext::kSequential ||
         i->opcode() == Opcode::kFusion;
}

// One place only: a caller may name a computation several times.
void ReplaceLastCall(Instruction* caller, const Computation* from,
                     Computation* to) {
  std::vector<Computation*> called(caller->called_computations().begin(),
                                   caller->called_computations().end());
  for (size_t j = called.size(); j-- > 0;) {
    if (called[j] != from) continue;
    called[j] = to;
    break;
  }
  caller->set_called_computations(std::move(called));
}

}  // namespace

absl::StatusOr<bool> FlattenCallGraph::Run(Module* module) {
  bool changed = false;
  int64_t left = kMaxInstructions - module->instruction_count();
  // Callers before callees: a copied body's own calls are then seen shared.
  std::vector<Computation*> order = module->TopologicalOrder();
  for (size_t at = order.size(); at-- > 0;) {
    Computation* computation = order[at];
    if (computation->IsEntry()) continue;
    std::vector<Instruction*> callers;
    for (Instruction* caller : computation->callers()) {
      if (NeedsOwnCallee(caller)) {
        callers.insert(callers.end(), CallCount(*caller, computation), caller);
      }
    }
    const bool embedded =
        static_cast<int64_t>(callers.size()) < computation->call_site_count();
    // The first caller keeps the original.
    for (size_t k = embedded ? 0 : 1; k < callers.size(); ++k) {
      left -= computation->instruction_count();
      if (left < 0) {
        return ResourceExhausted(
            "flattening the calls would make the module larger than %d "
            "instructions",
            kMaxInstructions);
      }
      ReplaceLastCall(callers[k], computation,
                      CopyShallow(module, *computation));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
