#include "passes/control/simplify_while_loops.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/analysis/effects.h"
#include "passes/analysis/loop_trip_count.h"
#include "passes/builders.h"
#include "passes/control/inline.h"
#include "passes/control/while_util.h"
#include "passes/patterns.h"

namespace hlokit {
namespace {

// The condition may hold effects of its own.
bool ConditionIsPure(const Instruction& loop, const EffectMap& effects) {
  return absl::c_none_of(loop.while_condition()->instructions(),
                         [&](Instruction* i) {
                           return effects.HasSideEffect(*i);
                         });
}

// Loops of no or one iteration. True if the loop is gone.
bool RemoveShortLoop(Instruction* loop, const EffectMap& effects) {
  if (HasControlDependencies(*loop) || !ConditionIsPure(*loop, effects)) {
    return false;
  }
  int64_t count = -1;
  if (const auto counted = FindCountedLoop(*loop)) {
    count = counted->trip_count;
  } else if (IsConstantScalar(loop->while_condition()->root(), 0)) {
    count = 0;
  }
  if (count == 0) {
    ReplaceInstruction(loop, loop->operand(0));
    return true;
  }
  if (count != 1) return false;
  Instruction* result =
      CloneBody(loop->parent(), *loop->while_body(), {loop->operand(0)});
  ReplaceInstruction(loop, result);
  return true;
}

// gte(loop, k) -> what the element starts as.
bool ForwardInvariants(Instruction* loop) {
  if (!loop->shape().IsTuple() || HasControlDependencies(*loop)) return false;
  bool changed = false;
  const std::vector<Instruction*> users(loop->users().begin(),
                                        loop->users().end());
  for (Instruction* element : users) {
    if (element->opcode() != Opcode::kGetTupleElement ||
        (element->users().empty() && !element->IsRoot()) ||
        !IsInvariantElement(*loop, element->tuple_index())) {
      continue;
    }
    Builder b(element);
    Instruction* value = b.Element(loop->operand(0), element->tuple_index());
    if (element->IsRoot() && element->sharding() != nullptr &&
        value->sharding() == nullptr) {
      continue;
    }
    element->ReplaceAllUsesWith(value);
    changed = true;
  }
  return changed;
}

// Which elements somebody needs in the end.
std::vector<bool> NeededElements(const Instruction& loop,
                                 const EffectMap& effects) {
  const Computation* body = loop.while_body();
  const Instruction* root = body->root();
  std::vector<bool> needed(root->operand_count());
  std::vector<const Instruction*> work;
  std::vector<bool> seen(body->id_limit());
  auto visit = [&](const Instruction* i) {
    if (seen[i->id()]) return;
    seen[i->id()] = true;
    work.push_back(i);
  };
  auto need = [&](int64_t k) {
    if (needed[k]) return;
    needed[k] = true;
    visit(root->operand(k));
  };
  for (const Instruction* user : loop.users()) {
    if (!user->users().empty() || user->IsRoot()) need(user->tuple_index());
  }
  const Instruction* state = loop.while_condition()->parameter(0);
  for (const Instruction* user : state->users()) {
    if (!user->users().empty() || user->IsRoot()) need(user->tuple_index());
  }
  for (const Instruction* i : body->instructions()) {
    if (effects.HasSideEffect(*i) || HasControlDependencies(*i)) visit(i);
  }
  while (!work.empty()) {
    const Instruction* i = work.back();
    work.pop_back();
    if (i->opcode() == Opcode::kGetTupleElement &&
        i->operand(0) == body->parameter(0)) {
      need(i->tuple_index());
      continue;
    }
    for (const Instruction* operand : i->operands()) visit(operand);
  }
  return needed;
}

Instruction* DropUnneeded(Instruction* loop, const EffectMap& effects) {
  if (!UsesElementsOnly(*loop)) return loop;
  const std::vector<bool> needed = NeededElements(*loop, effects);
  // One that nobody needs at all is dce's matter.
  if (absl::c_all_of(needed, [](bool n) { return n; }) ||
      absl::c_none_of(needed, [](bool n) { return n; })) {
    return loop;
  }
  return KeepElements(loop, needed);
}

// Comparisons of the counter in the body that its range decides.
bool DecideComparisons(Instruction* loop) {
  const auto counted = FindCountedLoop(*loop);
  if (!counted.has_value() || counted->trip_count == 0) return false;
  const __int128 last_wide =
      counted->init + static_cast<__int128>(counted->trip_count - 1) *
                          static_cast<__int128>(counted->step);
  const int64_t last = static_cast<int64_t>(last_wide);
  const int64_t low = std::min(counted->init, last);
  const int64_t high = std::max(counted->init, last);
  bool changed = false;
  for (Instruction* i : loop->while_body()->PostOrder()) {
    if (i->opcode() != Opcode::kCompare || !i->shape().IsScalar() ||
        HasControlDependencies(*i) || i->users().empty()) {
      continue;
    }
    const Instruction* x = i->operand(0);
    const auto c = ConstantInt(i->operand(1));
    if (!c.has_value() || x->opcode() != Opcode::kGetTupleElement ||
        x->operand(0) != loop->while_body()->parameter(0) ||
        x->tuple_index() != counted->index) {
      continue;
    }
    int decided = -1;
    switch (i->comparison_direction()) {
      case ComparisonDirection::kLt:
        decided = high < *c ? 1 : low >= *c ? 0 : -1;
        break;
      case ComparisonDirection::kLe:
        decided = high <= *c ? 1 : low > *c ? 0 : -1;
        break;
      case ComparisonDirection::kGt:
        decided = low > *c ? 1 : high <= *c ? 0 : -1;
        break;
      case ComparisonDirection::kGe:
        decided = low >= *c ? 1 : high < *c ? 0 : -1;
        break;
      case ComparisonDirection::kEq:
        decided = *c < low || *c > high ? 0 : -1;
        break;
      case ComparisonDirection::kNe:
        decided = *c < low || *c > high ? 1 : -1;
        break;
    }
    if (decided < 0) continue;
    Builder b(i);
    ReplaceInstruction(i, b.ScalarInt(kPred, decided));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> SimplifyWhileLoops::Run(Module* module) {
  bool changed = false;
  const EffectMap effects(*module);
  for (Computation* computation : Computations(module)) {
    for (Instruction* loop : LoopsOf(*computation)) {
      if (!RunsOn(*loop->while_body())) continue;
      changed |= ForwardInvariants(loop);
      if (RemoveShortLoop(loop, effects)) {
        changed = true;
        continue;
      }
      if (!OwnsItsState(*loop)) continue;
      changed |= DecideComparisons(loop);
      Instruction* smaller = DropUnneeded(loop, effects);
      changed |= smaller != loop;
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
