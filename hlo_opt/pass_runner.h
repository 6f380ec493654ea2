// What hlo-opt does between loading modules and writing them: passes, watched
// as the options ask.
#ifndef HLOKIT_HLO_OPT_PASS_RUNNER_H_
#define HLOKIT_HLO_OPT_PASS_RUNNER_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/io.h"
#include "dump/dumper.h"
#include "hlo_opt/hlo_opt.h"
#include "hlo_opt/loader.h"
#include "hlo_opt/observers.h"
#include "passes/pass.h"
#include "xla/xla.pb.h"

namespace hlokit {

// --list-passes: every pass; of the platform cpu its pipelines' places in
// order.
void ListPasses(const HloOptOptions& options, const ToolIo& io);

// Everything that is handed in must outlive the runner.
class PassRunner {
 public:
  PassRunner(const HloOptOptions& options, const xla::DebugOptions& debug,
             const StatsChoice& stats, const ToolIo& io)
      : options_(options), debug_(debug), stats_(stats), io_(io) {}

  // Runs --passes, or the platform's pipelines, on each module; dumps what the
  // debug options ask for. Modules that went through a backend carry their
  // buffer assignment afterwards. Calls `fail` with the error of each module
  // that fails, and takes these modules out of the list.
  void Run(std::vector<LoadedModule>* modules,
           absl::FunctionRef<void(const LoadedModule&, absl::Status)> fail);

 private:
  using Pipelines = std::vector<std::unique_ptr<Pipeline>>;
  absl::StatusOr<Pipelines> MakePipelines(const Module& module) const;
  absl::Status RunOn(LoadedModule* loaded, Dumper* dumper,
                     TimeObserver* times);
  absl::Status RunPipelines(const Pipelines& pipelines, Module* module,
                            Dumper* dumper, TimeObserver* times);
  absl::Status DumpResult(LoadedModule* loaded, Dumper* dumper);
  // Whether it is a compilation rather than a list of passes.
  bool Compiles() const;
  void ShowStats(const ModuleStats& before, const ModuleStats& after);

  const HloOptOptions& options_;
  const xla::DebugOptions& debug_;
  const StatsChoice& stats_;
  const ToolIo& io_;
};

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_PASS_RUNNER_H_
