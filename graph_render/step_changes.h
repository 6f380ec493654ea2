// What became of each instruction from one step of a program to the next.
#ifndef HLOKIT_GRAPH_RENDER_STEP_CHANGES_H_
#define HLOKIT_GRAPH_RENDER_STEP_CHANGES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph_render/html_page.h"

namespace hlokit {

// kGone is added when the next step lacks the instruction; page/data.js has
// the same numbers.
enum StepChange { kSame = 0, kAdded = 1, kChanged = 2, kGone = 4 };

// The texts of a step's instructions by name, without metadata: instructions
// with equal texts count as unchanged.
class StepTexts {
 public:
  explicit StepTexts(const PageStage& stage);

  // The StepChange bits of an instruction of this step; `before` and `after`
  // are the steps beside it, or null.
  int ChangeOf(const Instruction& instruction, const StepTexts* before,
               const StepTexts* after) const;
  // The names that `before` has and this step lacks, sorted.
  std::vector<absl::string_view> RemovedSince(const StepTexts& before) const;

 private:
  absl::flat_hash_map<absl::string_view, std::string> texts_;
};

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_STEP_CHANGES_H_
