// Products of a matrix with a vector: bound by memory, so they read the matrix
// once, in its own order.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_MATVEC_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_MATVEC_H_

#include <cstdint>

#include "backends/cpu/kernels/gemm.h"

namespace hlokit::cpu {

// Whether RunMatVec does it: one side is a vector, the other a matrix that is
// contiguous in one of its directions; float and integer types up to 32 bits,
// f64.
bool IsMatVec(const GemmProblem& problem);
void RunMatVec(const GemmProblem& problem, const void* lhs, const void* rhs,
               void* out, ThreadPool* pool);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_MATVEC_H_
