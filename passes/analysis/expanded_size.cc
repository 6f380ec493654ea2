#include "passes/analysis/expanded_size.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/status.h"

namespace hlokit {
namespace {

int64_t AddSizes(int64_t a, int64_t b) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

}  // namespace

int64_t InliningBudget(const Module& module) {
  return std::max(kMaxInlinedInstructions, 4 * module.instruction_count());
}

// Callees come first, on a stack of its own: calls may be nested deeply.
int64_t ExpandedSizes::SizeOf(const Computation& computation) {
  std::vector<std::pair<const Computation*, bool>> open = {
      {&computation, false}};
  while (!open.empty()) {
    const auto [top, callees_done] = open.back();
    open.pop_back();
    if (callees_done) {
      Count(*top);
      continue;
    }
    if (!sizes_.try_emplace(top, 0).second) continue;
    open.emplace_back(top, true);
    for (const Instruction* i : top->instructions()) {
      for (const Computation* callee : i->called_computations()) {
        if (!sizes_.contains(callee)) open.emplace_back(callee, false);
      }
    }
  }
  return sizes_.at(&computation);
}

void ExpandedSizes::Count(const Computation& computation) {
  int64_t size = 0;
  for (const Instruction* i : computation.instructions()) {
    int64_t called = 0;
    for (const Computation* callee : i->called_computations()) {
      const int64_t theirs = sizes_.at(callee);
      called = i->opcode() == Opcode::kConditional ? std::max(called, theirs)
                                                   : AddSizes(called, theirs);
    }
    size = AddSizes(size, AddSizes(1, called));
  }
  sizes_[&computation] = size;
}

absl::Status CheckExpandedSize(const Module& module) {
  if (module.entry() == nullptr) return absl::OkStatus();
  const int64_t size = ExpandedSizes().SizeOf(*module.entry());
  if (size <= kMaxExpandedInstructions) return absl::OkStatus();
  return ResourceExhausted(
      "the computations of %s call each other so often that one run takes %s%d "
      "instructions; the limit is %d",
      module.name(),
      size == std::numeric_limits<int64_t>::max() ? "more than " : "", size,
      kMaxExpandedInstructions);
}

absl::Status CheckExpandedSize(const Instruction& instruction) {
  if (instruction.called_computations().empty()) return absl::OkStatus();
  ExpandedSizes sizes;
  for (const Computation* called : instruction.called_computations()) {
    const int64_t size = sizes.SizeOf(*called);
    if (size <= kMaxInlinedInstructions) continue;
    return ResourceExhausted(
        "%s calls %s, which runs %d instructions; the limit is %d",
        instruction.name(), called->name(), size, kMaxInlinedInstructions);
  }
  return absl::OkStatus();
}

}  // namespace hlokit
