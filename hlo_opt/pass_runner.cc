#include "hlo_opt/pass_runner.h"

#include <ostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/debug_flags.h"
#include "base/escape.h"
#include "base/guarded.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text_table.h"
#include "hlo/verify/verifier.h"
#include "hlo_opt/check_values.h"
#include "hlo_opt/stages.h"
#include "passes/dump_observer.h"
#include "passes/pipelines.h"

namespace hlokit {
namespace {

absl::string_view PurposeOf(absl::string_view name) {
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name == name) return pass.purpose;
  }
  return "";
}

HonestyChecks HonestyOf(const xla::DebugOptions& debug) {
  HonestyChecks checks;
  checks.silent_change =
      debug.xla_unsupported_crash_on_hlo_pass_silent_hlo_change();
  checks.noop_change = debug.xla_unsupported_crash_on_hlo_pass_noop_change();
  checks.fixed_point_limit =
      debug.xla_unsupported_crash_on_hlo_pass_fix_max_iterations();
  checks.detect_cycles = debug.xla_hlo_pass_fix_detect_cycles();
  return checks;
}

// Passes build on the rules of HLO; a module that breaks them is an error even
// when it may be loaded.
absl::Status CheckSound(const LoadedModule& loaded) {
  const absl::Status status = VerifyModule(*loaded.module);
  if (status.ok()) return status;
  return Annotate(status,
                  absl::StrCat(loaded.file, ": passes need a sound module"));
}

}  // namespace

void ListPasses(const HloOptOptions& options, const ToolIo& io) {
  const bool cpu = IsCpuPlatform(options.platform);
  TextTable table(cpu ? std::vector<TextTable::Column>{{""}, {""}, {""}}
                      : std::vector<TextTable::Column>{{""}, {""}});
  JsonWriter json(io.out);
  if (options.json) json.BeginArray();
  auto add = [&](const std::string& pipeline, absl::string_view name,
                 absl::string_view purpose, bool present) {
    if (options.json) {
      json.BeginObject();
      json.Member("name", name).Member("purpose", purpose);
      if (cpu) json.Member("pipeline", pipeline).Member("present", present);
      json.EndObject();
      return;
    }
    std::vector<std::string> row = {
        std::string(name),
        present ? std::string(purpose) : "(one of XLA's, left out here)"};
    if (cpu) row.insert(row.begin(), pipeline);
    table.AddRow(std::move(row));
  };
  if (cpu) {
    for (const PipelineEntry& entry : CpuPipelineEntries()) {
      add(entry.pipeline, entry.pass, PurposeOf(entry.pass), entry.present);
    }
  } else {
    for (const PassInfo& pass : AllPasses()) {
      add("", pass.name, pass.purpose, true);
    }
  }
  if (options.json) {
    json.EndArray();
    *io.out << "\n";
  } else {
    *io.out << table.ToString();
  }
}

bool PassRunner::Compiles() const {
  return options_.passes.empty() && IsCpuPlatform(options_.platform);
}

// --passes, else the platform's pipelines unless the module is scheduled (then
// it is through with them).
absl::StatusOr<PassRunner::Pipelines> PassRunner::MakePipelines(
    const Module& module) const {
  Pipelines pipelines;
  if (!options_.passes.empty()) {
    auto pipeline = std::make_unique<Pipeline>("transforms_pipeline");
    for (const std::string& name : options_.passes) {
      HLOKIT_ASSIGN_OR_RETURN(std::unique_ptr<Pass> pass, CreatePass(name));
      pipeline->AddPass(std::move(pass));
    }
    pipelines.push_back(std::move(pipeline));
  } else if (Compiles() && !module.is_scheduled()) {
    pipelines = CpuPipelines();
    if (IsBackendStage(options_.stage)) {
      for (auto& pipeline : CpuBackendPipelines()) {
        pipelines.push_back(std::move(pipeline));
      }
    }
  }
  return pipelines;
}

void PassRunner::Run(
    std::vector<LoadedModule>* modules,
    absl::FunctionRef<void(const LoadedModule&, absl::Status)> fail) {
  std::vector<std::string> warnings;
  DumpOptions dump = MakeDumpOptions(debug_, io_.getenv, &warnings);
  Dumper dumper(std::move(dump), io_, warnings);
  TimeObserver times;
  for (const std::string& warning : FlagWarnings(debug_)) {
    *io_.err << "hlo-opt: warning: " << Printable(warning) << "\n";
  }
  std::vector<LoadedModule> done;
  for (LoadedModule& loaded : *modules) {
    const std::string name = loaded.module->name();
    absl::Status status = Guarded("optimizing", name, [&] {
      return RunOn(&loaded, &dumper, &times);
    });
    if (status.ok()) {
      done.push_back(std::move(loaded));
    } else {
      fail(loaded, std::move(status));
    }
  }
  *modules = std::move(done);
  if (options_.time_passes) *io_.err << times.ToString();
}

absl::Status PassRunner::RunOn(LoadedModule* loaded, Dumper* dumper,
                               TimeObserver* times) {
  HLOKIT_ASSIGN_OR_RETURN(const Pipelines pipelines,
                          MakePipelines(*loaded->module));
  if (!pipelines.empty() && options_.verify != VerifyChoice::kAuto &&
      options_.verify != VerifyChoice::kError) {
    HLOKIT_RETURN_IF_ERROR(CheckSound(*loaded));
  }
  ModuleStats before;
  if (stats_.any()) before = StatsOf(*loaded->module);
  // XLA's names, for pass lists and for compilations.
  dumper->DumpModule(*loaded->module, Compiles() ? "before_optimizations"
                                                 : "before_optimization");
  HLOKIT_RETURN_IF_ERROR(
      RunPipelines(pipelines, loaded->module.get(), dumper, times));
  dumper->DumpFusionVisualization(*loaded->module);
  // It describes the module as it was.
  if (!pipelines.empty()) loaded->buffer_assignment = nullptr;
  HLOKIT_RETURN_IF_ERROR(DumpResult(loaded, dumper));
  if (stats_.any()) ShowStats(before, StatsOf(*loaded->module));
  return absl::OkStatus();
}

absl::Status PassRunner::RunPipelines(const Pipelines& pipelines,
                                      Module* module, Dumper* dumper,
                                      TimeObserver* times) {
  DumpObserver dumps(dumper);
  VerifyObserver verifies;
  PrintChangedObserver prints(io_.err);
  FixedPointObserver fixed_points(io_.err);
  CheckValuesObserver values(
      io_, options_.check_values,
      absl::StrCat("hlo-opt --check-values=", options_.check_values,
                   options_.verify_each ? " --verify-each" : ""));
  PassSelection selection = SelectionOf(debug_);
  selection.exact_arithmetic = options_.exact_arithmetic;
  if (Compiles()) {
    for (const char* pass : PassesLeftOutFor(options_.stage)) {
      selection.disabled.push_back(pass);
    }
  }
  for (const auto& pipeline : pipelines) {
    pipeline->set_selection(selection);
    pipeline->set_honesty_checks(HonestyOf(debug_));
    dumps.Attach(pipeline.get(), *module);
    pipeline->AddObserver(&fixed_points);
    if (options_.verify_each) pipeline->AddObserver(&verifies);
    if (options_.time_passes) pipeline->AddObserver(times);
    if (options_.print_changed) pipeline->AddObserver(&prints);
    if (options_.check_values > 0) pipeline->AddObserver(&values);
    const absl::Status status = pipeline->Run(module).status();
    if (!status.ok()) return values.Explain(status);
  }
  return absl::OkStatus();
}

absl::Status PassRunner::DumpResult(LoadedModule* loaded, Dumper* dumper) {
  if (Compiles() && IsBackendStage(options_.stage)) {
    BufferReports reports;
    HLOKIT_RETURN_IF_ERROR(AssignBuffersTo(
        loaded, dumper->DumpsModule(loaded->module->name()), &reports));
    dumper->DumpModule(*loaded->module, "cpu_after_optimizations", &reports);
    return absl::OkStatus();
  }
  dumper->DumpModule(*loaded->module, Compiles() ? "after_optimizations"
                                                 : "after_optimization");
  return absl::OkStatus();
}

// On standard error: standard output is the module's.
void PassRunner::ShowStats(const ModuleStats& before,
                           const ModuleStats& after) {
  if (!options_.json) {
    *io_.err << StatsTable(before, after, stats_);
    return;
  }
  JsonWriter json(io_.err);
  WriteStatsJson(before, after, stats_, &json);
  *io_.err << "\n";
}

}  // namespace hlokit
