#include "passes/control/while_loop_invariant_code_motion.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analysis/effects.h"
#include "passes/analysis/loop_trip_count.h"
#include "passes/builders.h"
#include "passes/control/while_util.h"

namespace hlokit {
namespace {

// Not worth a place in the loop's state by themselves.
bool IsCheap(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kIota:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

bool MayMove(const Instruction& i, const EffectMap& effects) {
  switch (i.opcode()) {
    case Opcode::kParameter:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kCopy:
      return false;
    default:
      break;
  }
  if (i.shape().is_dynamic() || !i.control_predecessors().empty() ||
      !i.control_successors().empty() || i.IsRoot() ||
      IsCollective(i.opcode()) || effects.HasSideEffect(i)) {
    return false;
  }
  return true;
}

bool Inflates(const Instruction& i) {
  int64_t operands = 0, result = 0;
  for (const Instruction* operand : i.operands()) {
    ForEachLeaf(operand->shape(), [&](const Shape& s, const ShapeIndex&) {
      if (s.IsArray()) operands += ByteSizeOf(s);
    });
  }
  ForEachLeaf(i.shape(), [&](const Shape& s, const ShapeIndex&) {
    if (s.IsArray()) result += ByteSizeOf(s);
  });
  return result > operands;
}

class Mover {
 public:
  Mover(Instruction* loop, const EffectMap& effects)
      : loop_(loop), body_(loop->while_body()), b_(loop), effects_(effects) {}

  bool Run() {
    FindInvariant();
    std::vector<Instruction*> candidates;
    for (Instruction* i : order_) {
      if (invariant_.contains(i) && i->shape().IsArray() && !IsCheap(*i) &&
          !i->users().empty() &&
          !Inflates(*i)) {
        worth_.insert(i);
        candidates.push_back(i);
      }
    }
    // Only what is used by something that stays needs a place in the state.
    std::vector<Instruction*> moved, values;
    for (Instruction* i : candidates) {
      if (!StaysUsed(*i)) continue;
      moved.push_back(i);
      values.push_back(Hoist(i));
    }
    if (moved.empty()) return false;
    const WidenedLoop wide = AddInvariantElements(loop_, values);
    for (size_t k = 0; k < moved.size(); ++k) {
      moved[k]->ReplaceAllUsesWith(wide.in_body[k]);
    }
    for (size_t k = moved.size(); k-- > 0;) {
      if (moved[k]->users().empty()) body_->RemoveWithUnusedOperands(moved[k]);
    }
    return true;
  }

 private:
  void FindInvariant() {
    order_ = body_->PostOrder();
    for (Instruction* i : order_) {
      if (i->opcode() == Opcode::kGetTupleElement &&
          i->operand(0) == body_->parameter(0)) {
        if (IsInvariantElement(*loop_, i->tuple_index())) invariant_.insert(i);
        continue;
      }
      const bool alike = absl::c_all_of(i->operands(), [&](Instruction* o) {
        return invariant_.contains(o);
      });
      if (alike && MayMove(*i, effects_)) {
        invariant_.insert(i);
      }
    }
  }

  bool StaysUsed(const Instruction& i) const {
    return absl::c_any_of(i.users(), [&](Instruction* user) {
      return !worth_.contains(user);
    });
  }

  // The value of an invariant instruction, outside of the loop.
  Instruction* Hoist(Instruction* root) {
    std::vector<Instruction*> work = {root};
    while (!work.empty()) {
      Instruction* i = work.back();
      if (outside_.contains(i)) {
        work.pop_back();
        continue;
      }
      if (i->opcode() == Opcode::kGetTupleElement &&
          i->operand(0) == body_->parameter(0)) {
        outside_[i] = b_.Element(loop_->operand(0), i->tuple_index());
        work.pop_back();
        continue;
      }
      const size_t before = work.size();
      for (Instruction* operand : i->operands()) {
        if (!outside_.contains(operand)) work.push_back(operand);
      }
      if (work.size() > before) continue;
      std::vector<Instruction*> operands;
      for (Instruction* operand : i->operands()) {
        operands.push_back(outside_.at(operand));
      }
      outside_[i] = b_.CloneOfShape(*i, i->shape(), operands);
      work.pop_back();
    }
    return outside_.at(root);
  }

  Instruction* loop_;
  Computation* body_;
  Builder b_;
  const EffectMap& effects_;
  std::vector<Instruction*> order_;
  absl::flat_hash_set<const Instruction*> invariant_;
  absl::flat_hash_set<const Instruction*> worth_;
  absl::flat_hash_map<const Instruction*, Instruction*> outside_;
};

}  // namespace

absl::StatusOr<bool> WhileLoopInvariantCodeMotion::Run(Module* module) {
  bool changed = false;
  const EffectMap effects(*module);
  for (Computation* computation : Computations(module)) {
    for (Instruction* loop : LoopsOf(*computation)) {
      if (OwnsItsState(*loop)) changed |= Mover(loop, effects).Run();
    }
  }
  return changed;
}

}  // namespace hlokit
