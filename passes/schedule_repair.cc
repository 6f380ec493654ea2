#include "passes/schedule_repair.h"

#include <utility>
#include <vector>

namespace hlokit {
namespace {

class Sequencer {
 public:
  explicit Sequencer(const Computation& computation)
      : state_(computation.id_limit()) {}

  // `i` after all that it needs; iterative, for chains may be long.
  void Add(Instruction* i) {
    work_.push_back(i);
    while (!work_.empty()) {
      Instruction* top = work_.back();
      char& state = state_[top->id()];
      if (state != kNew) {
        work_.pop_back();
        if (state == kOpen) {
          state = kDone;
          sequence_.push_back(top);
        }
        continue;
      }
      state = kOpen;
      for (auto list : {top->operands(), top->control_predecessors()}) {
        for (size_t k = list.size(); k-- > 0;) {
          if (state_[list[k]->id()] == kNew) work_.push_back(list[k]);
        }
      }
    }
  }
  std::vector<Instruction*> Take() { return std::move(sequence_); }

 private:
  enum : char { kNew, kOpen, kDone };
  std::vector<char> state_;
  std::vector<Instruction*> work_, sequence_;
};

}  // namespace

void RepairSchedule(Module* module) {
  if (!module->schedule.has_value()) return;
  Schedule repaired;
  for (const auto& computation : module->computations()) {
    if (computation->IsFusionComputation()) continue;
    Sequencer sequencer(*computation);
    const auto old = module->schedule->find(computation.get());
    if (old != module->schedule->end()) {
      // Removing an instruction takes it out of the sequence as well.
      for (Instruction* i : old->second) sequencer.Add(i);
    }
    for (Instruction* i : computation->PostOrder()) sequencer.Add(i);
    repaired[computation.get()] = sequencer.Take();
  }
  module->schedule = std::move(repaired);
}

}  // namespace hlokit
