#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/matvec.h"
#include "backends/cpu/kernels/packed_weights.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {
namespace {

class DotKernel : public NativeKernel {
 public:
  DotKernel(std::unique_ptr<Gemm> gemm, GemmBatch batch, bool swapped,
            const Instruction& rhs, KernelEnvironment& environment)
      : gemm_(std::move(gemm)), batch_(std::move(batch)), swapped_(swapped),
        matvec_(IsMatVec(gemm_->problem())) {
    if (matvec_) return;
    weights_ = PackedWeights::Make(*gemm_, batch_, rhs, environment);
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    const void* lhs = operands[swapped_ ? 1 : 0];
    const void* rhs = operands[swapped_ ? 0 : 1];
    if (matvec_) {
      RunMatVecs(lhs, rhs, results[0], context.pool);
    } else {
      const void* packed = weights_ == nullptr
                               ? nullptr
                               : weights_->Get(*gemm_, rhs, context.pool);
      RunGemm(*gemm_, batch_, lhs, rhs, packed, results[0], context.pool);
    }
    return absl::OkStatus();
  }

  std::string detail() const override {
    return PackedWeights::Detail(weights_ == nullptr ? 0 : weights_->bytes());
  }

 private:
  void RunMatVecs(const void* lhs, const void* rhs, void* out,
                  ThreadPool* pool) const {
    const GemmProblem& p = gemm_->problem();
    const auto one = [&](int64_t i, ThreadPool* threads) {
      RunMatVec(p,
                static_cast<const char*>(lhs) +
                    OffsetAt(batch_.lhs, i) * StorageBytes(p.lhs_type),
                static_cast<const char*>(rhs) +
                    OffsetAt(batch_.rhs, i) * StorageBytes(p.rhs_type),
                static_cast<char*>(out) +
                    OffsetAt(batch_.out, i) * StorageBytes(p.out_type),
                threads);
    };
    if (batch_.count == 1) return one(0, pool);
    pool->ParallelFor(batch_.count,
                      GrainFor(p.m() * p.n() * std::max<int64_t>(p.k(), 1)),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) one(i, nullptr);
                      });
  }

  std::unique_ptr<Gemm> gemm_;
  GemmBatch batch_;
  bool swapped_;
  bool matvec_;
  std::unique_ptr<PackedWeights> weights_;
};

DimensionVector FreeDimensions(const ArrayView& view,
                               absl::Span<const int64_t> batch,
                               absl::Span<const int64_t> contracting) {
  DimensionVector free;
  for (int64_t d = 0; d < view.rank(); ++d) {
    if (!absl::c_linear_search(batch, d) &&
        !absl::c_linear_search(contracting, d)) {
      free.push_back(d);
    }
  }
  return free;
}

// Dimensions first .. first + count.
DimensionList RangeOf(const ArrayView& view, int64_t first, int64_t count) {
  DimensionList list;
  for (int64_t d = first; d < first + count; ++d) {
    list.push_back({view.sizes[d], view.strides[d]});
  }
  return list;
}

// The contracting dimensions in the order in which `lhs` (or rhs) has them in
// memory, both sides alike, so that the walk runs as one where it can.
void SortContracting(const ArrayView& view, DimensionVector* own,
                     DimensionVector* other) {
  DimensionVector order(own->size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  absl::c_stable_sort(order, [&](int64_t a, int64_t b) {
    return view.strides[(*own)[a]] > view.strides[(*own)[b]];
  });
  DimensionVector first, second;
  for (int64_t i : order) {
    first.push_back((*own)[i]);
    second.push_back((*other)[i]);
  }
  *own = first;
  *other = second;
}

int64_t LastStride(const DimensionList& list) {
  const DimensionList joined = Joined(list);
  return joined.empty() ? 1 : joined.back().stride;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeDotKernel(const Instruction& instruction,
                                            KernelEnvironment& environment) {
  if (instruction.operand_count() != 2 ||
      instruction.attrs().Has(AttrId::kSparsityConfig)) {
    return nullptr;
  }
  const auto lhs = ViewOf(instruction.operand(0)->shape());
  const auto rhs = ViewOf(instruction.operand(1)->shape());
  const auto out = ViewOf(instruction.shape());
  if (!lhs || !rhs || !out) return nullptr;
  const auto list = [&](AttrId id) {
    const auto values = instruction.attrs().GetList(id);
    return DimensionVector(values.begin(), values.end());
  };
  const DimensionVector lhs_batch = list(AttrId::kLhsBatchDims);
  const DimensionVector rhs_batch = list(AttrId::kRhsBatchDims);
  DimensionVector lhs_k = list(AttrId::kLhsContractingDims);
  DimensionVector rhs_k = list(AttrId::kRhsContractingDims);
  const DimensionVector lhs_m = FreeDimensions(*lhs, lhs_batch, lhs_k);
  const DimensionVector rhs_n = FreeDimensions(*rhs, rhs_batch, rhs_k);
  SortContracting(*lhs, &lhs_k, &rhs_k);

  const int64_t batch_rank = lhs_batch.size(), m_rank = lhs_m.size();
  GemmBatch batch;
  batch.lhs = DimensionsOf(*lhs, lhs_batch);
  batch.rhs = DimensionsOf(*rhs, rhs_batch);
  batch.out = RangeOf(*out, 0, batch_rank);
  batch.count = CountOf(batch.lhs);
  const DimensionList left_m = DimensionsOf(*lhs, lhs_m);
  const DimensionList right_n = DimensionsOf(*rhs, rhs_n);
  const DimensionList out_m = RangeOf(*out, batch_rank, m_rank);
  const DimensionList out_n =
      RangeOf(*out, batch_rank + m_rank, right_n.size());
  const DimensionList left_k = DimensionsOf(*lhs, lhs_k);
  const DimensionList right_k = DimensionsOf(*rhs, rhs_k);
  constexpr int64_t kMostOffsets = 1 << 26;
  for (const DimensionList* walk : {&left_m, &right_n, &left_k}) {
    if (Joined(*walk).size() > 1 && CountOf(*walk) > kMostOffsets) {
      return nullptr;
    }
  }
  // The transposed product where the result is written by columns.
  const bool swap = LastStride(out_n) != 1 && LastStride(out_m) == 1 &&
                    CountOf(out_m) > 1 && CountOf(out_n) > 1;
  GemmProblem problem;
  problem.out_type = out->type;
  problem.lhs_type = swap ? rhs->type : lhs->type;
  problem.rhs_type = swap ? lhs->type : rhs->type;
  problem.lhs_m = GemmWalk(swap ? right_n : left_m);
  problem.lhs_k = GemmWalk(swap ? right_k : left_k);
  problem.rhs_k = GemmWalk(swap ? left_k : right_k);
  problem.rhs_n = GemmWalk(swap ? left_m : right_n);
  problem.out_m = GemmWalk(swap ? out_n : out_m);
  problem.out_n = GemmWalk(swap ? out_m : out_n);
  if (swap) std::swap(batch.lhs, batch.rhs);
  std::unique_ptr<Gemm> gemm =
      Gemm::Make(std::move(problem), environment.isa());
  if (gemm == nullptr) return nullptr;
  return std::make_unique<DotKernel>(std::move(gemm), std::move(batch), swap,
                                     *instruction.operand(swap ? 0 : 1),
                                     environment);
}

}  // namespace hlokit::cpu
