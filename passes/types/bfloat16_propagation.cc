#include "passes/types/bfloat16_propagation.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "passes/builders.h"

namespace hlokit {
namespace {

bool HasType(const Instruction* i, PrimitiveType type) {
  return i->shape().element_type() == type;
}
bool WasBf16(const Instruction* i) {
  return i->opcode() == Opcode::kConvert && HasType(i->operand(0), kBF16);
}

// Operands that hold elements to be moved; the rest are indices and conditions.
bool IsMoved(const Instruction& i, int64_t operand) {
  return HasType(i.operand(operand), kF32);
}

bool Moves(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSelect:
    case Opcode::kTranspose:
    case Opcode::kDynamicUpdateSlice:
      return true;
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return WasBf16(i.operand(0));
    default:
      return false;
  }
}

class Propagator {
 public:
  explicit Propagator(Computation* computation) : computation_(computation) {}

  bool Run() {
    const std::vector<Instruction*> order = computation_->PostOrder();
    for (size_t k = order.size(); k-- > 0;) {
      if (MayBeNarrow(*order[k])) narrow_[order[k]] = nullptr;
    }
    if (narrow_.empty()) return false;
    for (Instruction* i : order) {
      if (narrow_.contains(i)) narrow_[i] = Narrowed(i);
    }
    std::vector<Instruction*> converts;
    for (Instruction* i : order) {
      if (i->opcode() == Opcode::kConvert && HasType(i, kBF16) &&
          narrow_.contains(i->operand(0))) {
        converts.push_back(i);
      }
    }
    for (Instruction* convert : converts) {
      Instruction* value = narrow_.at(convert->operand(0));
      convert->ReplaceAllUsesWith(value);
    }
    return true;
  }

 private:
  // All users are roundings or moves that are narrow themselves.
  bool MayBeNarrow(const Instruction& i) const {
    if (!HasType(&i, kF32) || !Moves(i) || i.IsRoot() || i.users().empty() ||
        i.shape().is_dynamic()) {
      return false;
    }
    return absl::c_all_of(i.users(), [&](const Instruction* user) {
      return (user->opcode() == Opcode::kConvert && HasType(user, kBF16) &&
              user->control_successors().empty()) ||
             narrow_.contains(user);
    });
  }

  Instruction* Narrowed(Instruction* i) {
    Builder b(i);
    std::vector<Instruction*> operands;
    for (int64_t k = 0; k < i->operand_count(); ++k) {
      Instruction* operand = i->operand(k);
      if (!IsMoved(*i, k)) {
        operands.push_back(operand);
      } else if (const auto it = narrow_.find(operand); it != narrow_.end()) {
        operands.push_back(it->second);
      } else if (WasBf16(operand)) {
        operands.push_back(operand->operand(0));
      } else {
        operands.push_back(b.Convert(operand, kBF16));
      }
    }
    Shape shape = i->shape();
    shape.set_element_type(kBF16);
    return b.CloneOfShape(*i, shape, operands);
  }

  Computation* const computation_;
  // With what takes their place.
  absl::flat_hash_map<const Instruction*, Instruction*> narrow_;
};

}  // namespace

absl::StatusOr<bool> Bfloat16Propagation::Run(Module* module) {
  bool changed = false;
  for (Computation* computation : Computations(module)) {
    if (!Propagator(computation).Run()) continue;
    // What was f32 is not used any more.
    const std::vector<Instruction*> order = computation->PostOrder();
    for (size_t k = order.size(); k-- > 0;) {
      Instruction* i = order[k];
      if (i->users().empty() && !i->IsRoot() && !i->HasSideEffect() &&
          i->opcode() != Opcode::kParameter &&
          i->control_successors().empty() &&
          i->control_predecessors().empty()) {
        computation->Remove(i);
      }
    }
    changed = true;
  }
  return changed;
}

}  // namespace hlokit
