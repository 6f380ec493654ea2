#include "passes/control/simplify_conditional.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"
#include "passes/control/conditional_util.h"
#include "passes/control/inline.h"
#include "passes/patterns.h"
#include "passes/structural_equality.h"

namespace hlokit {
namespace {

void TakeBranch(Instruction* conditional, int64_t branch) {
  Instruction* result = CloneBody(conditional->parent(),
                                  *conditional->called_computation(branch),
                                  {conditional->operand(branch + 1)});
  ReplaceInstruction(conditional, result);
}

// All branches alike, and their operands as well.
bool AllTheSame(const Instruction& conditional) {
  for (size_t k = 1; k < conditional.called_computations().size(); ++k) {
    if (conditional.operand(k + 1) != conditional.operand(1) ||
        !SameComputation(*conditional.called_computation(0),
                         *conditional.called_computation(k))) {
      return false;
    }
  }
  return true;
}

// A handful of cheap instructions.
bool ComputesLittle(const Computation& branch) {
  int64_t work = 0;
  for (const Instruction* i : branch.instructions()) {
    switch (i->opcode()) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
        break;
      default:
        if (!IsElementwise(i->opcode()) && i->opcode() != Opcode::kIota) {
          return false;
        }
        if (!i->shape().IsArray() || ElementsIn(i->shape()) > 4096) {
          return false;
        }
        ++work;
    }
  }
  return work <= 4;
}

bool HasArraysOnly(const Shape& shape) {
  bool arrays = true;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    arrays &= leaf.IsArray() && leaf.is_static() && ElementsIn(leaf) <= 4096;
  });
  return arrays;
}

bool IsCheapSelect(const Instruction& conditional) {
  return HasArraysOnly(conditional.shape()) &&
         absl::c_all_of(conditional.called_computations(),
                        [](const Computation* branch) {
                          return MayExecuteAnyway(*branch) &&
                                 ComputesLittle(*branch);
                        });
}

// Takes elements that nobody asks for out of the result.
bool DropUnusedElements(Instruction* conditional) {
  if (!conditional->shape().IsTuple() || conditional->IsRoot()) return false;
  std::vector<bool> used(conditional->shape().tuple_shapes().size());
  for (const Instruction* user : conditional->users()) {
    if (user->opcode() != Opcode::kGetTupleElement) return false;
    if (!user->users().empty() || user->IsRoot()) {
      used[user->tuple_index()] = true;
    }
  }
  if (absl::c_all_of(used, [](bool u) { return u; })) return false;
  for (const Computation* branch : conditional->called_computations()) {
    if (branch->call_site_count() != 1 ||
        branch->root()->opcode() != Opcode::kTuple) {
      return false;
    }
  }
  std::vector<int64_t> index(used.size(), -1);
  std::vector<Shape> shapes;
  for (size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) continue;
    index[k] = shapes.size();
    shapes.push_back(conditional->shape().tuple_shape(k));
  }
  for (Computation* branch : conditional->called_computations()) {
    Instruction* root = branch->root();
    std::vector<Instruction*> kept;
    for (size_t k = 0; k < used.size(); ++k) {
      if (used[k]) kept.push_back(root->operand(k));
    }
    Builder b(root);
    branch->set_root(b.Tuple(kept));
    if (root->users().empty()) branch->RemoveWithUnusedOperands(root);
  }
  const std::vector<Instruction*> users(conditional->users().begin(),
                                        conditional->users().end());
  for (Instruction* user : users) {
    if (index[user->tuple_index()] < 0) {
      user->parent()->Remove(user);
    } else {
      user->set_number(index[user->tuple_index()]);
    }
  }
  conditional->set_shape(Shape::Tuple(std::move(shapes)));
  conditional->mutable_attrs().Erase(AttrId::kSharding);
  conditional->mutable_attrs().Erase(AttrId::kOrigin);
  return true;
}

}  // namespace

absl::StatusOr<bool> SimplifyConditional::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* conditional : ConditionalsOf(*computation)) {
      if (HasControlDependencies(*conditional)) continue;
      if (const auto branch = KnownBranch(*conditional)) {
        TakeBranch(conditional, *branch);
      } else if (AllTheSame(*conditional)) {
        TakeBranch(conditional, 0);
      } else if (IsCheapSelect(*conditional)) {
        ReplaceBySelect(conditional);
      } else if (!DropUnusedElements(conditional)) {
        continue;
      }
      changed = true;
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
