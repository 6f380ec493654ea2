// Vector code that is compiled twice: for every processor, and for those with
// AVX2 and FMA.
//
// A kernel's body is an always-inline function of GCC's vector types. The macro
// makes the two functions around it and one that calls the right one:
//
//   HLOKIT_SIMD_INLINE void AddBody(const float* a, float* b, int64_t n) {...}
//   HLOKIT_SIMD_KERNEL(void, Add, AddBody,
//                      (const float* a, float* b, int64_t n), (a, b, n))
//
// Everything that a body calls must be HLOKIT_SIMD_INLINE, too (lambdas are not
// inlined across targets).
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_SIMD_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_SIMD_H_

#include <cstdint>
#include <cstring>

#include "backends/cpu/isa.h"

namespace hlokit::cpu {

// Whether this processor has them.
inline bool HasAvx2() { return HostIsa() >= Isa::kAvx2; }

#define HLOKIT_SIMD_INLINE inline __attribute__((always_inline))

#if defined(__x86_64__)
#define HLOKIT_SIMD_AVX2 __attribute__((target("avx2,fma,f16c,bmi,bmi2")))
#define HLOKIT_SIMD_AVX512                                  \
  __attribute__((                                           \
      target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl," \
             "avx2,fma,f16c,bmi,bmi2")))
#define HLOKIT_SIMD_KERNEL(result, name, body, parameters, arguments)   \
  HLOKIT_SIMD_AVX2 inline result name##Avx2 parameters {                \
    return body arguments;                                              \
  }                                                                     \
  inline result name##Plain parameters { return body arguments; }       \
  inline result name parameters {                                       \
    return HasAvx2() ? name##Avx2 arguments : name##Plain arguments;    \
  }
#else
#define HLOKIT_SIMD_AVX2
#define HLOKIT_SIMD_AVX512
#define HLOKIT_SIMD_KERNEL(result, name, body, parameters, arguments) \
  inline result name parameters { return body arguments; }
#endif

// N elements of T in one register (or two).
template <typename T, int kBytes>
struct SimdOf {
  typedef T type __attribute__((vector_size(kBytes), aligned(sizeof(T)),
                                may_alias));
};
template <typename T, int kBytes = 32>
using Simd = typename SimdOf<T, kBytes>::type;

// At any address.
template <typename V>
HLOKIT_SIMD_INLINE V LoadVector(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <typename V>
HLOKIT_SIMD_INLINE void StoreVector(void* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_SIMD_H_
