#include "passes/backend/rematerialization.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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

class Rematerializer {
 public:
  Rematerializer(Module* module, int64_t limit)
      : module_(module),
        entry_(module->entry()),
        sequence_((*module->schedule)[module->entry()]),
        limit_(limit) {}

  bool Run() {
    bool changed = false;
    int64_t tries = 50'000'000 / (1 + module_->instruction_count());
    tries = std::min<int64_t>(tries, 1000);
    MemoryUse use = MemoryUseOf(*module_);
    while (use.peak > limit_ && use.at != nullptr && tries-- > 0) {
      Instruction* value = FindCandidate(use.at);
      if (value == nullptr) break;
      tried_.insert(value);
      Instruction* again = ComputeAgain(value);
      const MemoryUse after = MemoryUseOf(*module_);
      if (after.peak < use.peak) {
        use = after;
        changed = true;
        tried_.insert(again);
        continue;
      }
      // It did not help: back to how it was.
      again->ReplaceAllUsesWith(value);
      sequence_.erase(absl::c_find(sequence_, again));
      entry_->Remove(again);
    }
    return changed;
  }

 private:
  static int64_t Bytes(const Instruction* i) {
    return i->shape().IsArray() ? ByteSizeOf(i->shape()) : 0;
  }

  // The largest value that is alive at `peak` without being used there.
  Instruction* FindCandidate(const Instruction* peak) {
    place_.clear();
    for (size_t k = 0; k < sequence_.size(); ++k) place_[sequence_[k]] = k;
    peak_ = place_.at(peak);
    Instruction* best = nullptr;
    for (int64_t k = 0; k < peak_; ++k) {
      Instruction* i = sequence_[k];
      if (tried_.contains(i) || !IsCheap(*i) || !i->shape().IsArray() ||
          i->IsRoot() || !i->control_predecessors().empty() ||
          !i->control_successors().empty() || peak->IsUserOf(i) ||
          (best != nullptr && Bytes(i) <= Bytes(best))) {
        continue;
      }
      const int64_t next = NextUse(*i);
      if (next > peak_ && OperandsLast(*i, next)) best = i;
    }
    return best;
  }

  // The first use behind the peak; -1 if there is none.
  int64_t NextUse(const Instruction& i) const {
    int64_t next = -1;
    for (const Instruction* user : i.users()) {
      // What hands a value on keeps it.
      if (!user->shape().IsArray() || user->opcode() == Opcode::kBitcast) {
        return -1;
      }
      const int64_t at = place_.at(user);
      if (at > peak_ && (next < 0 || at < next)) next = at;
    }
    return next;
  }

  // Operands are there still when the value is computed again, or are small.
  bool OperandsLast(const Instruction& i, int64_t until) const {
    return absl::c_all_of(i.operands(), [&](const Instruction* operand) {
      if (operand->opcode() == Opcode::kParameter ||
          operand->opcode() == Opcode::kConstant ||
          8 * Bytes(operand) <= Bytes(&i)) {
        return true;
      }
      return absl::c_any_of(operand->users(), [&](const Instruction* user) {
        return place_.at(user) >= until;
      });
    });
  }

  Instruction* ComputeAgain(Instruction* value) {
    const int64_t next = NextUse(*value);
    Instruction* again =
        entry_->AddClone(*value, value->shape(), value->operands());
    const std::vector<Instruction*> users(value->users().begin(),
                                          value->users().end());
    for (Instruction* user : users) {
      if (user == again || place_.at(user) <= peak_) continue;
      for (int64_t k = 0; k < user->operand_count(); ++k) {
        if (user->operand(k) == value) user->ReplaceOperand(k, again);
      }
    }
    sequence_.insert(sequence_.begin() + next, again);
    return again;
  }

  Module* const module_;
  Computation* const entry_;
  std::vector<Instruction*>& sequence_;
  const int64_t limit_;
  absl::flat_hash_map<const Instruction*, int64_t> place_;
  absl::flat_hash_set<const Instruction*> tried_;
  int64_t peak_ = 0;
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
