#include "graph_render/step_changes.h"

#include <algorithm>

#include "hlo/print/printer.h"

namespace hlokit {

StepTexts::StepTexts(const PageStage& stage) {
  PrintOptions options;
  options.print_metadata = false;
  for (const auto& computation : stage.module->computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      // The numbers of what leads into a part of a program say nothing.
      const bool by_shape = stage.selection.filter != nullptr &&
                            instruction->opcode() == Opcode::kParameter;
      texts_[instruction->name()] = by_shape
                                        ? instruction->shape().ToString()
                                        : ToString(*instruction, options);
    }
  }
}

int StepTexts::ChangeOf(const Instruction& instruction,
                        const StepTexts* before,
                        const StepTexts* after) const {
  int change = kSame;
  if (before != nullptr) {
    const auto it = before->texts_.find(instruction.name());
    if (it == before->texts_.end()) {
      change = kAdded;
    } else if (it->second != texts_.at(instruction.name())) {
      change = kChanged;
    }
  }
  if (after != nullptr && !after->texts_.contains(instruction.name())) {
    change |= kGone;
  }
  return change;
}

std::vector<absl::string_view> StepTexts::RemovedSince(
    const StepTexts& before) const {
  std::vector<absl::string_view> removed;
  for (const auto& [name, text] : before.texts_) {
    if (!texts_.contains(name)) removed.push_back(name);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace hlokit
