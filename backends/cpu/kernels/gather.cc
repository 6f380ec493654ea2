#include <cstring>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/index_windows.h"
#include "backends/cpu/kernels/strided_move.h"
#include "backends/cpu/native_kernel.h"

namespace hlokit::cpu {
namespace {

class GatherKernel : public NativeKernel {
 public:
  GatherKernel(IndexWindows windows, int64_t element_bytes,
               absl::Span<const MoveLoop> loops)
      : windows_(std::move(windows)), element_bytes_(element_bytes),
        slice_(loops, element_bytes) {
    bool contiguous = true;
    int64_t run = 1;
    DimensionList from, to;
    for (const MoveLoop& loop : loops) {
      from.push_back({loop.size, loop.source});
      to.push_back({loop.size, loop.target});
      run *= loop.size;
    }
    for (DimensionList* list : {&from, &to}) {
      const DimensionList joined = Joined(*list);
      contiguous = contiguous && (joined.empty() || (joined.size() == 1 &&
                                                     joined[0].stride == 1));
    }
    if (contiguous) run_bytes_ = run * element_bytes;
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    const char* from = static_cast<const char*>(operands[0]);
    char* to = static_cast<char*>(results[0]);
    if (slice_.bytes() == 0) return absl::OkStatus();
    context.pool->ParallelFor(
        windows_.count(), GrainFor(slice_.bytes() + 16, 1 << 18),
        [&](int64_t begin, int64_t end) {
          Some(from, operands[1], to, begin, end);
        });
    return absl::OkStatus();
  }

 private:
  void Some(const char* from, const void* indices, char* to, int64_t begin,
            int64_t end) const {
    switch (run_bytes_) {
      case 0:
        return windows_.ForEach<true>(
            indices, begin, end, [&](int64_t source, int64_t target) {
              slice_.Run(from + source * element_bytes_,
                         to + target * element_bytes_, nullptr);
            });
      case 1:
        return Units<1>(from, indices, to, begin, end);
      case 2:
        return Units<2>(from, indices, to, begin, end);
      case 4:
        return Units<4>(from, indices, to, begin, end);
      case 8:
        return Units<8>(from, indices, to, begin, end);
      case 16:
        return Units<16>(from, indices, to, begin, end);
      default:
        return windows_.ForEach<true>(
            indices, begin, end, [&](int64_t source, int64_t target) {
              std::memcpy(to + target * element_bytes_,
                          from + source * element_bytes_, run_bytes_);
            });
    }
  }

  template <int kBytes>
  void Units(const char* from, const void* indices, char* to, int64_t begin,
             int64_t end) const {
    windows_.ForEach<true>(indices, begin, end,
                           [&](int64_t source, int64_t target) {
                             std::memcpy(to + target * element_bytes_,
                                         from + source * element_bytes_,
                                         kBytes);
                           });
  }

  IndexWindows windows_;
  int64_t element_bytes_;
  int64_t run_bytes_ = 0;  // of slices in one piece
  StridedMove slice_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeGatherKernel(const Instruction& instruction,
                                               KernelEnvironment& environment) {
  const auto operand = ViewOf(instruction.operand(0)->shape());
  const auto indices = ViewOf(instruction.operand(1)->shape());
  const auto output = ViewOf(instruction.shape());
  if (!operand || !indices || !output || operand->type != output->type ||
      !IsIntegerType(indices->type)) {
    return nullptr;
  }
  // Out of nothing: an error that the interpreter reports.
  if (operand->elements == 0 && output->elements != 0) return nullptr;
  const AttributeSet& attrs = instruction.attrs();
  const auto collapsed = attrs.GetList(AttrId::kCollapsedSliceDims);
  const auto batching = attrs.GetList(AttrId::kOperandBatchingDims);
  const auto offsets = attrs.GetList(AttrId::kOffsetDims);
  const auto sizes = attrs.GetList(AttrId::kSliceSizes);
  absl::InlinedVector<MoveLoop, 6> loops;
  for (int64_t d = 0; d < operand->rank(); ++d) {
    if (absl::c_linear_search(collapsed, d) ||
        absl::c_linear_search(batching, d)) {
      if (sizes[d] != 1 && output->elements != 0) return nullptr;
      continue;
    }
    loops.push_back({sizes[d], operand->strides[d],
                     output->strides[offsets[loops.size()]]});
  }
  DimensionVector others;
  for (int64_t d = 0; d < output->rank(); ++d) {
    if (!absl::c_linear_search(offsets, d)) {
      others.push_back(output->strides[d]);
    }
  }
  return std::make_unique<GatherKernel>(
      IndexWindows(*indices, attrs.GetInt(AttrId::kIndexVectorDim),
                   attrs.GetList(AttrId::kStartIndexMap), batching,
                   attrs.GetList(AttrId::kStartIndicesBatchingDims), *operand,
                   sizes, others),
      output->element_bytes, loops);
}

}  // namespace hlokit::cpu
