#include "passes/backend/instruction_hoister.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace hlokit {
namespace {

int64_t Rank(const Instruction* i) {
  return i->opcode() == Opcode::kParameter && i->control_predecessors().empty()
             ? i->parameter_number()
             : std::numeric_limits<int64_t>::max();
}

}  // namespace

absl::StatusOr<bool> InstructionHoister::Run(Module* module) {
  if (!module->is_scheduled()) return false;
  bool changed = false;
  for (auto& [computation, sequence] : *module->schedule) {
    if (!RunsOn(*computation)) continue;
    const auto before = [](const Instruction* a, const Instruction* b) {
      return Rank(a) < Rank(b);
    };
    if (std::is_sorted(sequence.begin(), sequence.end(), before)) continue;
    std::stable_sort(sequence.begin(), sequence.end(), before);
    changed = true;
  }
  return changed;
}

}  // namespace hlokit
