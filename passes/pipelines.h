// The passes of a platform in the order in which XLA runs them.
//
// The table in pipelines.cc follows the CPU compiler of jaxlib 0.10.2. Passes
// that are not here are left out and can be listed, so that what a pipeline
// does not do is no secret.
#ifndef HLOKIT_PASSES_PIPELINES_H_
#define HLOKIT_PASSES_PIPELINES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "passes/pass.h"

namespace hlokit {

// One place in a platform's pipelines.
struct PipelineEntry {
  std::string pipeline;  // nested ones as "outer/inner"
  std::string pass;
  bool present = false;  // whether the pass exists here
};

// In the order of execution.
std::vector<PipelineEntry> CpuPipelineEntries();

// The pipelines of the stage `hlo` on CPU, to be run one after another on a
// module that is not scheduled.
std::vector<std::unique_ptr<Pipeline>> CpuPipelines();

// What follows them at the stages `hlo-backend` and `buffer-assignment`: the
// schedule.
std::vector<std::unique_ptr<Pipeline>> CpuBackendPipelines();

}  // namespace hlokit

#endif  // HLOKIT_PASSES_PIPELINES_H_
