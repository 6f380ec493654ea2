// Flags of XLA that backends obey.
#ifndef HLOKIT_BACKENDS_DEBUG_FLAGS_H_
#define HLOKIT_BACKENDS_DEBUG_FLAGS_H_

#include "backends/backend.h"
#include "xla/xla.pb.h"

namespace hlokit {

PassSelection SelectionOf(const xla::DebugOptions& flags);
// Sets what the flags say of compilation; leaves the rest.
void UseDebugOptions(const xla::DebugOptions& flags, CompileOptions* options);
// The same of execution: xla_cpu_ftz=false keeps denormals.
void UseDebugOptions(const xla::DebugOptions& flags, ExecuteOptions* options);

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_DEBUG_FLAGS_H_
