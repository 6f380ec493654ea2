// The backend "cpu": modules as machine code for this processor.
#ifndef HLOKIT_BACKENDS_CPU_CPU_BACKEND_H_
#define HLOKIT_BACKENDS_CPU_CPU_BACKEND_H_

#include "backends/backend.h"

namespace hlokit {

// Never null; loads LLVM when something is compiled.
Backend* CpuBackend();

}  // namespace hlokit

#endif  // HLOKIT_BACKENDS_CPU_CPU_BACKEND_H_
