#include "passes/simplify/simplify_sorts.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

std::vector<bool> NeededOperands(const Instruction& sort) {
  std::vector<bool> needed(sort.operand_count());
  const Computation& comparator = *sort.to_apply();
  for (int64_t k = 0; k < sort.operand_count(); ++k) {
    for (int64_t side : {0, 1}) {
      const Instruction* p = comparator.parameter(2 * k + side);
      if (!p->users().empty() || p->IsRoot()) needed[k] = true;
    }
  }
  for (const Instruction* user : sort.users()) {
    if (user->opcode() != Opcode::kGetTupleElement) {
      needed.assign(needed.size(), true);
    } else if (!user->users().empty() || user->IsRoot()) {
      needed[user->tuple_index()] = true;
    }
  }
  return needed;
}

Computation* NarrowComparator(const Instruction& sort,
                              const std::vector<bool>& needed) {
  Module* module = sort.module();
  const Computation& old = *sort.to_apply();
  auto narrow = Computation::Create(module, old.name());
  std::vector<Instruction*> copies(old.id_limit());
  int64_t number = 0;
  for (size_t k = 0; k < needed.size(); ++k) {
    if (!needed[k]) continue;
    for (int64_t side : {0, 1}) {
      const Instruction* p = old.parameter(2 * k + side);
      copies[p->id()] = narrow->AddParameter(number++, p->shape(), p->name());
    }
  }
  std::vector<Instruction*> operands;
  for (const Instruction* i : old.PostOrder()) {
    if (i->opcode() == Opcode::kParameter) continue;
    operands.clear();
    for (const Instruction* operand : i->operands()) {
      operands.push_back(copies[operand->id()]);
    }
    copies[i->id()] = narrow->AddClone(*i, i->shape(), operands);
  }
  narrow->set_root(copies[old.root()->id()]);
  return module->AddComputation(std::move(narrow));
}

bool Simplify(Instruction* sort) {
  if (sort->operand_count() < 2 || sort->IsRoot() ||
      !sort->control_predecessors().empty() ||
      !sort->control_successors().empty()) {
    return false;
  }
  const std::vector<bool> needed = NeededOperands(*sort);
  if (absl::c_all_of(needed, [](bool n) { return n; }) ||
      absl::c_none_of(needed, [](bool n) { return n; })) {
    return false;
  }
  std::vector<Instruction*> operands;
  std::vector<Shape> shapes;
  for (size_t k = 0; k < needed.size(); ++k) {
    if (!needed[k]) continue;
    operands.push_back(sort->operand(k));
    shapes.push_back(sort->shape().tuple_shape(k));
  }
  Builder b(sort);
  Instruction* small = b.OpOfShape(
      Opcode::kSort, shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes),
      operands, sort->attrs(), {NarrowComparator(*sort, needed)});
  small->mutable_attrs().Erase(AttrId::kSharding);
  // A tuple as before, in which nobody looks at what is missing.
  std::vector<Instruction*> elements;
  int64_t at = 0;
  for (size_t k = 0; k < needed.size(); ++k) {
    if (!needed[k]) {
      elements.push_back(sort->operand(k));
    } else {
      elements.push_back(shapes.size() == 1 ? small : b.Element(small, at));
      ++at;
    }
  }
  const std::vector<Instruction*> users(sort->users().begin(),
                                        sort->users().end());
  for (Instruction* user : users) {
    if (user->users().empty() && !user->IsRoot()) {
      user->parent()->Remove(user);
    } else {
      ReplaceInstruction(user, elements[user->tuple_index()]);
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> SimplifySorts::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if (i->opcode() == Opcode::kSort) changed |= Simplify(i);
    }
  }
  if (changed) module->RemoveUnreachableComputations();
  return changed;
}

}  // namespace hlokit
