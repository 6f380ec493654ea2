#include "backends/interpreter/large_slices.h"

#include <utility>
#include <vector>

namespace hlokit::interpreter {
namespace {

bool IsLargeConcatenate(const Instruction& i) {
  return i.opcode() == Opcode::kConcatenate && i.shape().is_static() &&
         ByteSizeOf(i.shape()) >= kLargeConcatenateBytes;
}

// Moves `slice` to the operand of its concatenation that contains it. Returns
// false if there is none.
bool ReadOneOperand(Instruction* slice) {
  const Instruction& whole = *slice->operand(0);
  const auto* ranges = slice->attrs().Get<SliceRanges>(AttrId::kSlice);
  if (ranges == nullptr || ElementsIn(slice->shape()) == 0) return false;
  const int64_t dim = whole.dimension(0);
  const SliceRange& range = (*ranges)[dim];
  const int64_t last =
      range.start + (slice->shape().dimension(dim) - 1) * range.stride;
  int64_t offset = 0;
  for (Instruction* part : whole.operands()) {
    const int64_t end = offset + part->shape().dimension(dim);
    if (range.start >= offset && last < end) {
      SliceRanges moved = *ranges;
      moved[dim] = {range.start - offset, last - offset + 1, range.stride};
      slice->mutable_attrs().SetShared(AttrId::kSlice, std::move(moved));
      slice->ReplaceOperand(0, part);
      return true;
    }
    offset = end;
  }
  return false;
}

}  // namespace

void ReadThroughLargeConcatenates(Module* module) {
  for (const auto& computation : module->computations()) {
    std::vector<Instruction*> slices;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::kSlice && IsLargeConcatenate(*i->operand(0))) {
        slices.push_back(i);
      }
    }
    for (Instruction* slice : slices) {
      while (IsLargeConcatenate(*slice->operand(0))) {
        Instruction* whole = slice->operand(0);
        if (!ReadOneOperand(slice)) break;
        if (whole->users().empty() && !whole->IsRoot() &&
            whole->control_predecessors().empty() &&
            whole->control_successors().empty()) {
          computation->RemoveWithUnusedOperands(whole);
        }
      }
    }
  }
}

}  // namespace hlokit::interpreter
