#include "passes/control/conditional_canonicalizer.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"
#include "passes/control/conditional_util.h"

namespace hlokit {
namespace {

// The branches, each called by nobody else and once.
std::vector<Computation*> OwnBranches(Instruction* conditional) {
  std::vector<Computation*> branches(
      conditional->called_computations().begin(),
      conditional->called_computations().end());
  std::vector<Computation*> own;
  for (Computation* branch : branches) {
    const bool taken = absl::c_linear_search(own, branch);
    const bool shared = absl::c_any_of(
        branch->callers(),
        [&](const Instruction* caller) { return caller != conditional; });
    own.push_back(taken || shared ? conditional->module()->CloneComputation(
                                        *branch, branch->name())
                                  : branch);
  }
  return own;
}

void GiveTuple(Instruction* conditional) {
  std::vector<Computation*> branches = OwnBranches(conditional);
  for (Computation* branch : branches) {
    Builder b(branch->root());
    branch->set_root(b.Tuple({branch->root()}));
  }
  Builder b(conditional);
  Instruction* tuple = b.OpOfShape(
      Opcode::kConditional, Shape::Tuple({conditional->shape()}),
      conditional->operands(), conditional->attrs(), branches);
  tuple->mutable_attrs().Erase(AttrId::kSharding);
  tuple->mutable_attrs().Erase(AttrId::kOrigin);
  Instruction* element = b.Element(tuple, 0);
  if (const AttrValue* sharding =
          conditional->attrs().Find(AttrId::kSharding)) {
    element->mutable_attrs().Set(AttrId::kSharding, *sharding);
  }
  for (Instruction* p : conditional->control_predecessors()) {
    tuple->AddControlPredecessor(p);
  }
  const std::vector<Instruction*> successors(
      conditional->control_successors().begin(),
      conditional->control_successors().end());
  for (Instruction* s : successors) s->AddControlPredecessor(tuple);
  conditional->DropControlDependencies();
  conditional->ReplaceAllUsesWith(element);
  conditional->parent()->Remove(conditional);
}

}  // namespace

absl::StatusOr<bool> ConditionalCanonicalizer::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* conditional : ConditionalsOf(*computation)) {
      if (conditional->shape().IsTuple()) continue;
      GiveTuple(conditional);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
