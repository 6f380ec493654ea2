#include "passes/simplify/control_dep_rewriter.h"

#include "base/status.h"
#include "passes/analysis/reachability.h"

namespace hlokit {
namespace {

bool IsControlDepCall(const Instruction& i) {
  return i.opcode() == Opcode::kCustomCall && i.operand_count() == 2 &&
         i.custom_call_target() == "control_dep";
}

absl::Status RewriteControlDep(Instruction* call) {
  Instruction* first = call->operand(0);
  Instruction* second = call->operand(1);
  if (!call->users().empty() || call->IsRoot()) {
    return InvalidArgument("the result of control_dep '%s' is used",
                           call->name());
  }
  if (first == second ||
      NeedsOrTooFar(first, second, first->parent()->instruction_count())) {
    return InvalidArgument(
        "control_dep '%s' asks for '%s' after '%s', which needs it",
        call->name(), second->name(), first->name());
  }
  second->AddControlPredecessor(first);
  call->DropControlDependencies();
  call->parent()->Remove(call);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> ControlDepRewriter::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (!IsControlDepCall(*i)) continue;
      HLOKIT_RETURN_IF_ERROR(RewriteControlDep(i));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
