// The k largest or smallest elements, for the opcode and the custom call.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_TOP_K_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_TOP_K_H_

#include <memory>

#include "backends/cpu/native_kernel.h"
#include "hlo/ir/shape.h"

namespace hlokit::cpu {

// Of rows along the last dimension; `shape` is (values, s32 indices). In total
// order, of equal elements the first one first.
std::unique_ptr<NativeKernel> MakeTopKKernelFor(const Shape& operand,
                                                const Shape& shape,
                                                bool largest);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_TOP_K_H_
