// The page of --xla_dump_fusion_visualization: how a computation's fusions came
// about, step by step.
#ifndef HLOKIT_GRAPH_RENDER_FUSION_PAGE_H_
#define HLOKIT_GRAPH_RENDER_FUSION_PAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/module.h"

namespace hlokit {

// One decision of a pass that fuses. The pictures are parts of the program as
// it was then, as modules of their own.
struct FusionStep {
  std::string text;  // "fusion: add.1, exp.2 into sub.3"
  std::shared_ptr<const Module> before;
  std::string focus;  // an instruction of `before`
  // Null when nothing was fused; `text` tells why.
  std::shared_ptr<const Module> after;
  std::string after_focus;
};

// A slider over the steps, before and after of each, what goes away red and what
// comes green; the last stop is the computation as it is now. `computation` may
// be null when it is gone. Without steps: each fusion of the computation in
// turn, opened.
std::string FusionPage(const Computation* computation,
                       absl::Span<const FusionStep> steps,
                       const std::string& title);

// What of a computation a step's picture shows, as a module: `members`, their
// operands and, where they are few, their users. Loops, calls and large tuples
// around them are left out. Null when nothing is left.
std::shared_ptr<const Module> StepPicture(
    absl::Span<const Instruction* const> members);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_FUSION_PAGE_H_
