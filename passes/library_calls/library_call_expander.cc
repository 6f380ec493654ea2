#include "passes/library_calls/library_call_expander.h"

#include <memory>
#include <vector>

#include "base/status.h"
#include "passes/builders.h"
#include "passes/control/inline.h"
#include "passes/library_calls/library_call.h"
#include "passes/schedule_repair.h"

namespace hlokit {
namespace {

bool IsWrappedByAsyncStart(const Computation& computation) {
  for (const Instruction* caller : computation.callers()) {
    if (caller->opcode() == Opcode::kAsyncStart) return true;
  }
  return false;
}

void ReplaceByBody(Instruction* call, const Module& lowered) {
  Module* module = call->parent()->module();
  Computation* body = module->CloneComputation(*lowered.entry(), "library");
  Instruction* value =
      CloneBody(call->parent(), *body, call->operands());
  module->RemoveComputation(body);
  for (AttrId id : {AttrId::kSharding, AttrId::kOrigin}) {
    const AttrValue* attribute = call->attrs().Find(id);
    if (attribute != nullptr && !value->attrs().Has(id)) {
      value->mutable_attrs().Set(id, *attribute);
    }
  }
  ReplaceInstruction(call, value);
}

}  // namespace

absl::StatusOr<bool> LibraryCallExpander::Run(Module* module) {
  std::vector<Instruction*> calls;
  for (Computation* computation : Computations(module)) {
    if (IsWrappedByAsyncStart(*computation)) continue;
    for (Instruction* i : computation->PostOrder()) {
      if (IsLibraryCall(*i) && (selects_ == nullptr || selects_(*i))) {
        calls.push_back(i);
      }
    }
  }
  bool changed = false;
  for (Instruction* call : calls) {
    const auto lowered = LowerLibraryCall(*call);
    if (!lowered.ok()) continue;
    ReplaceByBody(call, **lowered);
    changed = true;
  }
  if (changed) RepairSchedule(module);
  return changed;
}

}  // namespace hlokit
