#include "passes/control/call_inliner.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/analysis/expanded_size.h"
#include "passes/control/inline.h"

namespace hlokit {
namespace {

bool SaysNoInlining(const Instruction& call) {
  const auto* attributes =
      call.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (attributes == nullptr) return false;
  const auto it = attributes->find("inlineable");
  return it != attributes->end() && it->second == "false";
}

bool MayInlineCall(const Instruction& call) {
  const Computation& body = *call.to_apply();
  return !call.attrs().GetBool(AttrId::kIsComposite) &&
         body.execution_thread() == call.parent()->execution_thread() &&
         !SaysNoInlining(call);
}

// Puts bodies in from the callers down, so that each instruction is copied once
// to where it ends up, however deep its call is nested.
class CallTreeInliner {
 public:
  // Changes `computations` only.
  CallTreeInliner(Module* module, const std::vector<Computation*>& computations,
          bool single_call_site)
      : order_(module->TopologicalOrder()),
        changeable_(computations.begin(), computations.end()),
        single_call_site_(single_call_site),
        left_(InliningBudget(*module)) {
    // Copies of calls add to the counts later.
    for (const Computation* c : order_) {
      if (c->call_site_count() == 1) called_once_.insert(c);
    }
    live_.insert(module->entry());
  }

  bool Run() {
    bool changed = false;
    for (size_t at = order_.size(); at-- > 0;) {
      if (!live_.contains(order_[at])) continue;
      if (changeable_.contains(order_[at])) changed |= InlineInto(order_[at]);
      for (const Instruction* i : order_[at]->instructions()) {
        for (const Computation* called : i->called_computations()) {
          live_.insert(called);
        }
      }
    }
    return changed;
  }

 private:
  bool InlineInto(Computation* computation) {
    std::vector<Instruction*> calls;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kCall) calls.push_back(i);
    }
    bool changed = false;
    for (size_t k = 0; k < calls.size(); ++k) {
      if (!MayInlineCall(*calls[k]) || !Takes(*calls[k]->to_apply())) continue;
      const int64_t first_new = computation->id_limit();
      InlineCall(calls[k]);
      for (int64_t id = first_new; id < computation->id_limit(); ++id) {
        Instruction* i = computation->InstructionById(id);
        if (i != nullptr && i->opcode() == Opcode::kCall) calls.push_back(i);
      }
      changed = true;
    }
    return changed;
  }

  // Whether there is room for another copy of `body`. The first one takes the
  // place of the body itself.
  bool Takes(const Computation& body) {
    if (single_call_site_ && !called_once_.contains(&body)) return false;
    if (copied_.insert(&body).second) return true;
    if (body.instruction_count() > left_) return false;
    left_ -= body.instruction_count();
    return true;
  }

  const std::vector<Computation*> order_;  // callees first
  const absl::flat_hash_set<const Computation*> changeable_;
  const bool single_call_site_;
  absl::flat_hash_set<const Computation*> called_once_;
  absl::flat_hash_set<const Computation*> live_;
  absl::flat_hash_set<const Computation*> copied_;
  int64_t left_;
};

}  // namespace

absl::StatusOr<bool> CallInliner::Run(Module* module) {
  if (module->entry() == nullptr) return false;
  const bool changed =
      CallTreeInliner(module, Computations(module), single_call_site_).Run();
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
