#include "passes/control/call_inliner.h"

#include <vector>

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

bool MayInline(const Instruction& call, bool single_call_site) {
  const Computation& body = *call.to_apply();
  return !call.attrs().GetBool(AttrId::kIsComposite) &&
         body.execution_thread() == call.parent()->execution_thread() &&
         (!single_call_site || body.call_site_count() == 1) &&
         !SaysNoInlining(call);
}

}  // namespace

absl::StatusOr<bool> CallInliner::Run(Module* module) {
  bool changed = false;
  // Callees first, so that what is put in holds no calls any more.
  for (Computation* computation : Computations(module)) {
    std::vector<Instruction*> calls;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kCall && MayInline(*i, single_call_site_)) {
        calls.push_back(i);
      }
    }
    for (Instruction* call : calls) InlineCall(call);
    changed |= !calls.empty();
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
