// Runs of elements, converted into the types that kernels compute in and back.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_CONVERT_RUNS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_CONVERT_RUNS_H_

#include <complex>
#include <cstdint>

#include "hlo/ir/primitive_type.h"

namespace hlokit::cpu {

// `count` elements of `type` at `from`, one after another, as T: float, double,
// int16_t, int32_t, uint64_t (integers modulo 2^bits), std::complex<float> or
// std::complex<double>. The types must fit: no complex numbers as real ones, no
// floats as integers.
template <typename T>
void ConvertRun(PrimitiveType type, const void* from, T* to, int64_t count);

// The other way: rounded to nearest even, integers cut off; of pred "is not 0".
template <typename T>
void StoreRun(const T* from, PrimitiveType type, void* to, int64_t count);

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_CONVERT_RUNS_H_
