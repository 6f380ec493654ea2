// Constant right sides of products, packed once.
//
// A product packs its right side into the order in which it is read. Where that
// is a constant (the weights of a layer) the first execution does it for all.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_PACKED_WEIGHTS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_PACKED_WEIGHTS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/base/call_once.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {

class PackedWeights {
 public:
  // Null unless `rhs`, an operand, is a constant that all products of the batch
  // share, they pack it at all, and the executable may keep it.
  static std::unique_ptr<PackedWeights> Make(const Gemm& gemm,
                                             const GemmBatch& batch,
                                             const Instruction& rhs,
                                             KernelEnvironment& environment);

  // What PackRhs makes of rhs, which is the same in every call; null when there
  // is no memory for it. Thread-safe.
  const void* Get(const Gemm& gemm, const void* rhs, ThreadPool* pool);

  int64_t bytes() const { return bytes_; }
  // For NativeKernel::detail.
  static std::string Detail(int64_t bytes);

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  explicit PackedWeights(int64_t bytes) : bytes_(bytes) {}

  const int64_t bytes_;
  absl::once_flag once_;
  std::unique_ptr<void, Free> packed_;
};

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_PACKED_WEIGHTS_H_
