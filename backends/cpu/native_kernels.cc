#include "backends/cpu/native_kernel.h"

#include "hlo/ir/opcode.h"

namespace hlokit::cpu {

#define NATIVE_KERNEL(opcode, factory)         \
  std::unique_ptr<NativeKernel> factory(       \
      const Instruction& instruction, KernelEnvironment& environment);
#include "backends/cpu/native_kernels.def"
#undef NATIVE_KERNEL

KernelFactory NativeKernelOf(Opcode opcode) {
  switch (opcode) {
#define NATIVE_KERNEL(opcode, factory) \
  case Opcode::opcode:                 \
    return factory;
#include "backends/cpu/native_kernels.def"
#undef NATIVE_KERNEL
    default:
      return nullptr;
  }
}

}  // namespace hlokit::cpu
