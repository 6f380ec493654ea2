// Flags of XLA that backends obey.
#ifndef HLOKIT_BACKENDS_DEBUG_FLAGS_H_
#define HLOKIT_BACKENDS_DEBUG_FLAGS_H_

#include <string>
#include <vector>

#include "backends/backend.h"
#include "xla/xla.pb.h"

namespace hlokit {

// Of values that would take no effect without anybody's noticing: names in
// xla_disable_hlo_passes and xla_enable_hlo_passes_only that nothing has,
// neither here nor in XLA, and an xla_cpu_max_isa that is no instruction set.
std::vector<std::string> FlagWarnings(const xla::DebugOptions& flags);
PassSelection SelectionOf(const xla::DebugOptions& flags);
// Sets what the flags say of compilation; leaves the rest.
void UseDebugOptions(const xla::DebugOptions& flags, CompileOptions* options);
// The same of execution: xla_cpu_ftz=false keeps denormals.
void UseDebugOptions(const xla::DebugOptions& flags, ExecuteOptions* options);

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_DEBUG_FLAGS_H_
