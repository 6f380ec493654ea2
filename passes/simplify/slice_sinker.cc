#include "passes/simplify/slice_sinker.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

const SliceRanges& RangesOf(const Instruction* slice) {
  return *slice->attrs().Get<SliceRanges>(AttrId::kSlice);
}

// Whether all operands are slices with the same ranges of arrays of the same
// dimensions.
bool WorksOnSlices(const Instruction& i) {
  if (!IsElementwise(i.opcode()) || i.operand_count() == 0 ||
      i.opcode() == Opcode::kCopy || i.shape().is_dynamic() ||
      !i.control_predecessors().empty() || !i.control_successors().empty() ||
      (i.users().empty() && !i.IsRoot())) {
    return false;
  }
  const Instruction* first = i.operand(0);
  for (const Instruction* operand : i.operands()) {
    if (operand->opcode() != Opcode::kSlice ||
        RangesOf(operand) != RangesOf(first) ||
        !SameDimensions(operand->operand(0)->shape(),
                        first->operand(0)->shape())) {
      return false;
    }
  }
  return true;
}

// The same work on slices of the same arrays.
bool SameWork(const Instruction& a, const Instruction& b) {
  if (a.opcode() != b.opcode() ||
      a.shape().element_type() != b.shape().element_type() ||
      a.operand_count() != b.operand_count()) {
    return false;
  }
  for (int64_t k = 0; k < a.operand_count(); ++k) {
    if (a.operand(k)->operand(0) != b.operand(k)->operand(0)) return false;
  }
  return a.attrs() == b.attrs();
}

void Sink(const std::vector<Instruction*>& group) {
  Instruction* first = group[0];
  Builder b(first);
  std::vector<Instruction*> operands;
  for (Instruction* slice : first->operands()) {
    operands.push_back(slice->operand(0));
  }
  Instruction* whole = b.CloneOfShape(
      *first,
      Shape::ArrayWithDescendingLayout(first->shape().element_type(),
                                       operands[0]->shape().dimensions()),
      operands);
  for (Instruction* i : group) {
    ReplaceInstruction(i, b.Slice(whole, RangesOf(i->operand(0))));
  }
}

// The arrays' elements are worked on as often as before or less.
bool Pays(const std::vector<Instruction*>& group) {
  int64_t sliced = 0;
  for (const Instruction* i : group) sliced += ElementsIn(i->shape());
  return group.size() > 1 &&
         sliced >= ElementsIn(group[0]->operand(0)->operand(0)->shape());
}

bool SinkIn(Computation* computation) {
  std::vector<Instruction*> order = computation->PostOrder();
  std::vector<bool> done(computation->id_limit());
  for (Instruction* i : order) {
    if (done[i->id()] || !WorksOnSlices(*i)) continue;
    std::vector<Instruction*> group;
    // Everything of the kind is a user of a slice of the first array.
    for (const Instruction* slice : i->operand(0)->operand(0)->users()) {
      if (slice->opcode() != Opcode::kSlice) continue;
      for (Instruction* other : slice->users()) {
        if (!done[other->id()] && WorksOnSlices(*other) &&
            SameWork(*i, *other) &&
            !absl::c_linear_search(group, other)) {
          group.push_back(other);
        }
      }
    }
    for (const Instruction* other : group) done[other->id()] = true;
    if (!Pays(group)) continue;
    // What was replaced is gone from the order: start again.
    Sink(group);
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> SliceSinker::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    while (SinkIn(computation)) changed = true;
  }
  return changed;
}

}  // namespace hlokit
