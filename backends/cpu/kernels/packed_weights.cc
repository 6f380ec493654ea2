#include "backends/cpu/kernels/packed_weights.h"

#include "absl/strings/str_cat.h"

namespace hlokit::cpu {

std::unique_ptr<PackedWeights> PackedWeights::Make(
    const Gemm& gemm, const GemmBatch& batch, const Instruction& rhs,
    KernelEnvironment& environment) {
  if (!batch.HasOneRhs() || !environment.IsConstant(rhs)) return nullptr;
  const int64_t bytes = gemm.PackedBytes();
  if (bytes == 0 || !environment.MayKeep(bytes)) return nullptr;
  return std::unique_ptr<PackedWeights>(new PackedWeights(bytes));
}

const void* PackedWeights::Get(const Gemm& gemm, const void* rhs,
                               ThreadPool* pool) {
  absl::call_once(once_, [&] {
    packed_.reset(std::aligned_alloc(64, (bytes_ + 63) / 64 * 64));
    if (packed_ != nullptr) PackRhs(gemm, rhs, packed_.get(), pool);
  });
  return packed_.get();
}

std::string PackedWeights::Detail(int64_t bytes) {
  return bytes == 0 ? "" : absl::StrCat("keeps ", bytes, " bytes of weights");
}

}  // namespace hlokit::cpu
