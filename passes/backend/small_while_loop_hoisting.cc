#include "passes/backend/small_while_loop_hoisting.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/cost.h"
#include "passes/control/while_util.h"

namespace hlokit {
namespace {

constexpr double kMaxBytes = 1024;
constexpr char kMark[] = "xla_cpu_small_call";

bool IsMarked(const Computation& computation) {
  return absl::c_any_of(computation.callers(), [](const Instruction* caller) {
    const FrontendAttributes* attributes =
        caller->attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
    return attributes != nullptr && attributes->contains(kMark);
  });
}

bool IsPlain(const Instruction& loop) {
  for (const Computation* called :
       {loop.while_condition(), loop.while_body()}) {
    for (const Computation* c : ReachedFrom(const_cast<Computation*>(called))) {
      for (const Instruction* i : c->instructions()) {
        if (i->opcode() == Opcode::kCustomCall ||
            i->opcode() == Opcode::kSort || i->HasSideEffect()) {
          return false;
        }
      }
    }
  }
  return true;
}

void Hoist(Instruction* loop) {
  Module* module = loop->module();
  auto owned = Computation::Create(module,
                                   absl::StrCat(loop->name(), "_computation"));
  Instruction* state = owned->AddParameter(0, loop->operand(0)->shape());
  state->set_metadata(loop->shared_metadata());
  owned->set_root(owned->AddClone(*loop, loop->shape(), {state}));
  Computation* computation = module->AddComputation(std::move(owned));
  Instruction* call =
      loop->parent()->Add(Opcode::kCall, loop->shape(), {loop->operand(0)});
  call->set_called_computations({computation});
  call->set_metadata(loop->shared_metadata());
  FrontendAttributes attributes;
  attributes[kMark] = "true";
  call->mutable_attrs().SetShared(AttrId::kFrontendAttributes,
                                  std::move(attributes));
  loop->parent()->Replace(loop, call);
}

}  // namespace

absl::StatusOr<bool> SmallWhileLoopHoisting::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (IsMarked(*computation)) continue;
    for (Instruction* loop : LoopsOf(*computation)) {
      if (CostOf(*loop).bytes >= kMaxBytes || !IsPlain(*loop)) continue;
      Hoist(loop);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
