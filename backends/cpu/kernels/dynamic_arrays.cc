#include "backends/cpu/kernels/dynamic_arrays.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backends/cpu/dynamic_sizes.h"
#include "backends/cpu/kernels/arrays.h"

namespace hlokit::cpu {
namespace {

// The shape with all its dimensions static.
std::optional<ArrayView> ViewOfBounds(Shape shape) {
  for (int64_t d = 0; shape.IsArray() && d < shape.rank(); ++d) {
    shape.set_dynamic_dimension(d, false);
  }
  return ViewOf(shape);
}

bool IsSize(const Shape& shape) {
  return shape.IsScalar() && shape.element_type() == kS32;
}

class SliceToDynamicKernel : public NativeKernel {
 public:
  SliceToDynamicKernel(ArrayView array, const Shape& shape)
      : array_(std::move(array)) {
    for (int64_t d = 0; d < array_.rank(); ++d) {
      dynamic_.push_back(shape.is_dynamic_dimension(d));
    }
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    char* to = static_cast<char*>(results[0]);
    if (operands[0] != to) std::memcpy(to, operands[0], array_.bytes());
    for (int64_t d = 0; d < array_.rank(); ++d) {
      const int64_t bound = array_.sizes[d];
      const int64_t size = *static_cast<const int32_t*>(operands[d + 1]);
      SetDynamicSize(
          to, array_.bytes(), d,
          dynamic_[d] ? std::clamp<int64_t>(size, 0, bound) : bound);
    }
    return absl::OkStatus();
  }

 private:
  ArrayView array_;
  std::vector<bool> dynamic_;
};

class PadToStaticKernel : public NativeKernel {
 public:
  explicit PadToStaticKernel(ArrayView array) : array_(std::move(array)) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    const char* from = static_cast<const char*>(operands[0]);
    DimensionVector live(array_.rank());
    for (int64_t d = 0; d < array_.rank(); ++d) {
      live[d] = DynamicSize(from, array_.bytes(), d, array_.sizes[d]);
      *static_cast<int32_t*>(results[d + 1]) = static_cast<int32_t>(live[d]);
    }
    char* to = static_cast<char*>(results[0]);
    if (live == array_.sizes) {
      std::memcpy(to, from, array_.bytes());
      return absl::OkStatus();
    }
    // Zeros beyond the sizes.
    std::memset(to, 0, array_.bytes());
    DimensionVector all(array_.rank());
    absl::c_iota(all, 0);
    absl::c_stable_sort(all, [&](int64_t a, int64_t b) {
      return array_.strides[a] > array_.strides[b];
    });
    DimensionList walk;
    for (int64_t d : all) walk.push_back({live[d], array_.strides[d]});
    const int64_t run = walk.empty() ? 1 : walk.back().size;
    if (!walk.empty()) walk.pop_back();
    const int64_t rows = run == 0 ? 0 : CountOf(walk);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t at = OffsetAt(walk, i) * array_.element_bytes;
      std::memcpy(to + at, from + at, run * array_.element_bytes);
    }
    return absl::OkStatus();
  }

 private:
  ArrayView array_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeSliceToDynamic(const Instruction& call) {
  const auto array = ViewOfBounds(call.shape());
  if (!array || call.operand_count() != array->rank() + 1) return nullptr;
  const auto from = ViewOf(call.operand(0)->shape());
  if (!from || from->type != array->type || from->sizes != array->sizes ||
      from->strides != array->strides) {
    return nullptr;
  }
  for (int64_t d = 0; d < array->rank(); ++d) {
    if (!IsSize(call.operand(d + 1)->shape())) return nullptr;
  }
  return std::make_unique<SliceToDynamicKernel>(*array, call.shape());
}

std::unique_ptr<NativeKernel> MakePadToStatic(const Instruction& call) {
  const Shape& shape = call.shape();
  if (call.operand_count() != 1 || !shape.IsTuple() ||
      shape.tuple_shapes().empty() || !call.operand(0)->shape().is_dynamic()) {
    return nullptr;
  }
  const auto from = ViewOfBounds(call.operand(0)->shape());
  const auto array = ViewOf(shape.tuple_shape(0));
  if (!from || !array || from->type != array->type ||
      from->sizes != array->sizes || from->strides != array->strides ||
      static_cast<int64_t>(shape.tuple_shapes().size()) != array->rank() + 1) {
    return nullptr;
  }
  for (int64_t d = 0; d < array->rank(); ++d) {
    if (!IsSize(shape.tuple_shape(d + 1))) return nullptr;
  }
  return std::make_unique<PadToStaticKernel>(*array);
}

}  // namespace hlokit::cpu
