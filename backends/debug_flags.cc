#include "backends/debug_flags.h"

namespace hlokit {

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
  options->passes = SelectionOf(flags);
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
