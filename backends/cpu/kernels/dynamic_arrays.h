// The custom calls by which the dynamic padder's arrays get and lose their
// sizes.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_DYNAMIC_ARRAYS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_DYNAMIC_ARRAYS_H_

#include <memory>

#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {

// (array, s32 size of each dimension) -> the array of these sizes. Null for
// other operands.
std::unique_ptr<NativeKernel> MakeSliceToDynamic(const Instruction& call);
// Dynamic array -> (array of the bounds with zeros at the end, its sizes).
std::unique_ptr<NativeKernel> MakePadToStatic(const Instruction& call);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_DYNAMIC_ARRAYS_H_
