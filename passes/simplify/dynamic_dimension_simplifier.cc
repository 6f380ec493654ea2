#include "passes/simplify/dynamic_dimension_simplifier.h"

#include <vector>

#include "passes/builders.h"

namespace hlokit {
namespace {

bool IsSizes(const Instruction& i) {
  return i.shape().element_type() == kS32 && i.shape().rank() <= 1;
}

// concatenate(concatenate(a, b), c) -> concatenate(a, b, c).
Instruction* FlattenConcatenate(Builder& b, const Instruction& i) {
  std::vector<Instruction*> parts;
  for (Instruction* part : i.operands()) {
    if (part->opcode() == Opcode::kConcatenate) {
      parts.insert(parts.end(), part->operands().begin(),
                   part->operands().end());
    } else {
      parts.push_back(part);
    }
  }
  if (static_cast<int64_t>(parts.size()) == i.operand_count()) return nullptr;
  return b.Concatenate(parts, 0);
}

// slice(concatenate(a, b, c)) of one operand -> that operand.
Instruction* ElementOfConcatenate(const Instruction& i) {
  const Instruction* parts = i.operand(0);
  if (parts->opcode() != Opcode::kConcatenate) return nullptr;
  const SliceRange& range =
      (*i.attrs().Get<SliceRanges>(AttrId::kSlice))[0];
  int64_t offset = 0;
  for (Instruction* part : parts->operands()) {
    const int64_t size = part->shape().dimension(0);
    if (range.start == offset && range.limit == offset + size &&
        range.stride == 1) {
      return part;
    }
    offset += size;
  }
  return nullptr;
}

// [] -> [1] -> [] by reshapes or broadcasts.
Instruction* ThereAndBack(const Instruction& i) {
  const Instruction* one = i.operand(0);
  if (!i.shape().IsScalar() || one->operand_count() != 1 ||
      (one->opcode() != Opcode::kReshape &&
       one->opcode() != Opcode::kBroadcast) ||
      !one->operand(0)->shape().IsScalar()) {
    return nullptr;
  }
  return one->operand(0);
}

Instruction* StaticSize(Builder& b, const Instruction& i) {
  const Shape& shape = i.operand(0)->shape();
  const int64_t d = i.dimension(0);
  if (shape.is_dynamic_dimension(d)) return nullptr;
  return b.ScalarInt(kS32, shape.dimension(d));
}

Instruction* Simpler(Instruction* i) {
  Builder b(i);
  if (!IsSizes(*i)) return nullptr;
  switch (i->opcode()) {
    case Opcode::kConcatenate: return FlattenConcatenate(b, *i);
    case Opcode::kSlice: return ElementOfConcatenate(*i);
    case Opcode::kReshape: return ThereAndBack(*i);
    case Opcode::kGetDimensionSize: return StaticSize(b, *i);
    default: return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> DynamicDimensionSimplifier::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    for (Instruction* i : computation->PostOrder()) {
      if ((i->users().empty() && !i->IsRoot()) ||
          !i->control_predecessors().empty() ||
          !i->control_successors().empty()) {
        continue;
      }
      Instruction* simpler = Simpler(i);
      if (simpler == nullptr) continue;
      ReplaceInstruction(i, simpler);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hlokit
