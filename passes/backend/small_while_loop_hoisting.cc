#include "passes/backend/small_while_loop_hoisting.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/effects.h"
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

// Computations that, with all they call, have no effects and hold neither sorts
// nor custom calls.
absl::flat_hash_set<const Computation*> PlainComputations(
    const Module& module) {
  absl::flat_hash_set<const Computation*> plain;
  const EffectMap effects(module);
  for (const Computation* c : module.TopologicalOrder()) {
    const bool is_plain = absl::c_all_of(
        c->instructions(), [&](const Instruction* i) {
          return i->opcode() != Opcode::kCustomCall &&
                 i->opcode() != Opcode::kSort && !effects.HasSideEffect(*i) &&
                 absl::c_all_of(i->called_computations(),
                                [&](const Computation* called) {
                                  return plain.contains(called);
                                });
        });
    if (is_plain) plain.insert(c);
  }
  return plain;
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
  CostCounter costs;
  const auto plain = PlainComputations(*module);
  for (Computation* computation : Computations(module)) {
    for (Instruction* loop : LoopsOf(*computation)) {
      if (IsMarked(*computation) || costs.Of(*loop).bytes >= kMaxBytes ||
          !plain.contains(loop->while_condition()) ||
          !plain.contains(loop->while_body())) {
        continue;
      }
      Hoist(loop);
      changed = true;
    }
    // As it is now: a loop that was moved away may count otherwise.
    costs.Of(*computation);
  }
  return changed;
}

}  // namespace hlokit
