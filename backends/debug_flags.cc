#include "backends/debug_flags.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/isa.h"
#include "base/suggest.h"
#include "passes/pass.h"
#include "passes/pipelines.h"

namespace hlokit {

namespace {

void AddPassNameWarnings(const xla::DebugOptions& flags,
                         std::vector<std::string>* warnings) {
  if (flags.xla_disable_hlo_passes().empty() &&
      flags.xla_enable_hlo_passes_only().empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const PassInfo& pass : AllPasses()) names.emplace_back(pass.name);
  for (const PipelineEntry& entry : CpuPipelineEntries()) {
    for (absl::string_view part : absl::StrSplit(entry.pipeline, '/')) {
      names.emplace_back(part);
    }
  }
  absl::c_sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto look = [&](absl::string_view flag, const auto& list) {
    for (const std::string& name : list) {
      if (absl::c_linear_search(names, name) || IsAbsentPass(name)) continue;
      warnings->push_back(absl::StrCat("--", flag,
                                       ": no pass or pipeline is called '",
                                       name, "'", DidYouMean(name, names)));
    }
  };
  look("xla_disable_hlo_passes", flags.xla_disable_hlo_passes());
  look("xla_enable_hlo_passes_only", flags.xla_enable_hlo_passes_only());
}

}  // namespace

std::vector<std::string> FlagWarnings(const xla::DebugOptions& flags) {
  std::vector<std::string> warnings;
  AddPassNameWarnings(flags, &warnings);
  const std::string& isa = flags.xla_cpu_max_isa();
  if (!isa.empty() && !cpu::IsaOf(isa).has_value()) {
    warnings.push_back(
        absl::StrCat("--xla_cpu_max_isa: no instruction set is called '", isa,
                     "'; there are: ", absl::StrJoin(cpu::IsaNames(), ", ")));
  }
  return warnings;
}

PassSelection SelectionOf(const xla::DebugOptions& flags) {
  PassSelection selection;
  selection.disabled.assign(flags.xla_disable_hlo_passes().begin(),
                            flags.xla_disable_hlo_passes().end());
  selection.enabled_only.assign(flags.xla_enable_hlo_passes_only().begin(),
                                flags.xla_enable_hlo_passes_only().end());
  selection.disable_all = flags.xla_disable_all_hlo_passes();
  return selection;
}

void UseDebugOptions(const xla::DebugOptions& flags, CompileOptions* options) {
  options->optimization_level = flags.xla_backend_optimization_level();
  options->max_isa = flags.xla_cpu_max_isa();
  const bool exact = options->passes.exact_arithmetic;  // not one of XLA's
  options->passes = SelectionOf(flags);
  options->passes.exact_arithmetic = exact;
  options->fast_math = {flags.xla_cpu_enable_fast_math(),
                        flags.xla_cpu_fast_math_honor_nans(),
                        flags.xla_cpu_fast_math_honor_infs(),
                        flags.xla_cpu_fast_math_honor_division(),
                        flags.xla_cpu_fast_math_honor_functions()};
}

void UseDebugOptions(const xla::DebugOptions& flags, ExecuteOptions* options) {
  if (!flags.xla_cpu_ftz()) options->flush_denormals = false;
}

}  // namespace hlokit
