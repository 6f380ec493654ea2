// cpu-parallel-task-assigner: large operations of the entry get a backend config
// that says into how many pieces their outer dimensions are cut, so that several
// cores work on them:
//
//   backend_config={"outer_dimension_partitions":["4"]}
//
// Work that waits for memory (at most one flop a byte) takes a core for each
// 256 KiB, up to the square root of the number of cores; other work a core for
// each 100,000 steps. `cores` 0: those of this machine.
#ifndef HLOKIT_PASSES_BACKEND_CPU_PARALLEL_TASK_ASSIGNER_H_
#define HLOKIT_PASSES_BACKEND_CPU_PARALLEL_TASK_ASSIGNER_H_

#include <cstdint>

#include "passes/pass.h"

namespace hlokit {

class CpuParallelTaskAssigner : public Pass {
 public:
  explicit CpuParallelTaskAssigner(int64_t cores = 0) : cores_(cores) {}
  absl::string_view name() const override { return "cpu-parallel-task-assigner"; }
  absl::StatusOr<bool> Run(Module* module) override;

 private:
  int64_t cores_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_BACKEND_CPU_PARALLEL_TASK_ASSIGNER_H_
