#include "backends/debug_flags.h"

namespace hlokit {

void UseDebugOptions(const xla::DebugOptions& flags, CompileOptions* options) {
  options->optimization_level = flags.xla_backend_optimization_level();
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
