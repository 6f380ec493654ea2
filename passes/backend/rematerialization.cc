#include "passes/backend/rematerialization.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analysis/in_place.h"
#include "passes/analysis/liveness.h"

namespace hlokit {
namespace {

bool IsCheap(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kConcatenate:
      return true;
    default:
      return IsElementwise(i.opcode()) && i.opcode() != Opcode::kCopy;
  }
}

// Whether a value lies in a parameter of its computation.
bool IsOfParameter(const Instruction* i) {
  while (i->opcode() == Opcode::kGetTupleElement ||
         i->opcode() == Opcode::kBitcast) {
    i = i->operand(0);
  }
  return i->opcode() == Opcode::kParameter;
}

// Whether a user puts its result in the place of the value.
bool IsWrittenOver(const Instruction& i) {
  return absl::c_any_of(i.users(), [&](const Instruction* user) {
    return absl::c_any_of(InPlacePairs(*user), [&](const InPlacePair& pair) {
      return user->operand(pair.operand) == &i;
    });
  });
}

class Rematerializer {
 public:
  Rematerializer(Module* module, int64_t limit)
      : module_(module), limit_(limit) {
    for (const InputOutputAlias& alias : module->input_output_aliases) {
      aliased_.insert(module->entry()->parameter(alias.parameter));
    }
  }

  bool Run() {
    bool changed = false;
    int64_t tries = 50'000'000 / (1 + module_->instruction_count());
    tries = std::min<int64_t>(tries, 1000);
    MemoryUse use = MemoryUseOf(*module_);
    while (use.peak > limit_ && tries-- > 0) {
      const Candidate found = FindCandidate(use.path);
      if (found.value == nullptr) break;
      tried_.insert(found.value);
      Instruction* again = ComputeAgain(found);
      const MemoryUse after = MemoryUseOf(*module_);
      if (after.peak < use.peak) {
        // What did not help before may help now.
        use = after;
        changed = true;
        tried_.clear();
        continue;
      }
      // It did not help: back to how it was.
      again->ReplaceAllUsesWith(found.value);
      std::vector<Instruction*>& sequence = SequenceOf(again->parent());
      sequence.erase(absl::c_find(sequence, again));
      again->parent()->Remove(again);
    }
    return changed;
  }

 private:
  // To be computed again before the instruction at `next` of the sequence, for
  // users behind `peak`.
  struct Candidate {
    Instruction* value = nullptr;
    int64_t peak = 0, next = 0;
  };

  static int64_t Bytes(const Instruction* i) {
    return i->shape().IsArray() ? ByteSizeOf(i->shape()) : 0;
  }
  std::vector<Instruction*>& SequenceOf(const Computation* computation) {
    return (*module_->schedule)[computation];
  }

  // The largest of all computations on the way to the peak.
  Candidate FindCandidate(const std::vector<const Instruction*>& path) {
    Candidate best;
    for (const Instruction* at : path) {
      if (!module_->schedule->contains(at->parent())) break;
      const Candidate found = FindCandidateAt(at);
      if (found.value != nullptr &&
          (best.value == nullptr || Bytes(found.value) > Bytes(best.value))) {
        best = found;
      }
    }
    return best;
  }

  // The largest value of one computation that is alive at `peak` without being
  // used there.
  Candidate FindCandidateAt(const Instruction* peak) {
    const std::vector<Instruction*>& sequence = SequenceOf(peak->parent());
    place_.clear();
    for (size_t k = 0; k < sequence.size(); ++k) place_[sequence[k]] = k;
    Candidate best;
    best.peak = place_.at(peak);
    for (int64_t k = 0; k < best.peak; ++k) {
      Instruction* i = sequence[k];
      if (tried_.contains(i) || !IsCheap(*i) || !i->shape().IsArray() ||
          i->IsRoot() || !i->control_predecessors().empty() ||
          !i->control_successors().empty() || peak->IsUserOf(i) ||
          (best.value != nullptr && Bytes(i) <= Bytes(best.value))) {
        continue;
      }
      const int64_t next = NextUse(*i, best.peak);
      if (next > best.peak && OperandsLast(*i, next)) {
        best.value = i;
        best.next = next;
      }
    }
    return best;
  }

  // The first use behind the peak; -1 if there is none.
  int64_t NextUse(const Instruction& i, int64_t peak) const {
    int64_t next = -1;
    for (const Instruction* user : i.users()) {
      // What hands a value on keeps it.
      if (!user->shape().IsArray() || user->opcode() == Opcode::kBitcast) {
        return -1;
      }
      const int64_t at = place_.at(user);
      if (at > peak && (next < 0 || at < next)) next = at;
    }
    return next;
  }

  // Operands are there still when the value is computed again, or are small and
  // nothing takes their place before.
  bool OperandsLast(const Instruction& i, int64_t until) const {
    return absl::c_all_of(i.operands(), [&](const Instruction* operand) {
      if (operand->opcode() == Opcode::kConstant || StaysInEntry(*operand)) {
        return true;
      }
      if (8 * Bytes(operand) <= Bytes(&i) && !IsOfParameter(operand) &&
          !IsWrittenOver(*operand)) {
        return true;
      }
      return absl::c_any_of(operand->users(), [&](const Instruction* user) {
        return place_.at(user) >= until;
      });
    });
  }
  bool StaysInEntry(const Instruction& operand) const {
    return operand.opcode() == Opcode::kParameter &&
           operand.parent()->IsEntry() && !aliased_.contains(&operand) &&
           !IsWrittenOver(operand);
  }

  Instruction* ComputeAgain(const Candidate& found) {
    Instruction* value = found.value;
    Instruction* again =
        value->parent()->AddClone(*value, value->shape(), value->operands());
    const std::vector<Instruction*> users(value->users().begin(),
                                          value->users().end());
    // Places of another computation may have been looked up since.
    const std::vector<Instruction*>& sequence = SequenceOf(value->parent());
    place_.clear();
    for (size_t k = 0; k < sequence.size(); ++k) place_[sequence[k]] = k;
    for (Instruction* user : users) {
      if (place_.at(user) <= found.peak) continue;
      for (int64_t k = 0; k < user->operand_count(); ++k) {
        if (user->operand(k) == value) user->ReplaceOperand(k, again);
      }
    }
    std::vector<Instruction*>& order = SequenceOf(value->parent());
    order.insert(order.begin() + found.next, again);
    return again;
  }

  Module* const module_;
  const int64_t limit_;
  absl::flat_hash_set<const Instruction*> aliased_;
  absl::flat_hash_map<const Instruction*, int64_t> place_;
  absl::flat_hash_set<const Instruction*> tried_;
};

}  // namespace

absl::StatusOr<bool> Rematerialization::Run(Module* module) {
  if (!module->is_scheduled() || module->entry() == nullptr ||
      !module->schedule->contains(module->entry())) {
    return false;
  }
  return Rematerializer(module, limit_).Run();
}

}  // namespace hlokit
