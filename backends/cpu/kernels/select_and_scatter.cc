// The gradients of pooling: each window's selected element takes the window's
// source value. Comparisons with GE, GT, LE or LT and sums have loops of their
// own.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/native_kernel.h"
#include "backends/interpreter/combiner.h"
#include "backends/interpreter/window_taps.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

struct SelectLoop {
  WindowDimension window;
  int64_t size, outputs;
  int64_t operand, source;  // strides
};

// Keeps the current element: compare(current, candidate).
template <ComparisonDirection kDirection, typename T>
bool KeepsCurrent(T current, T candidate) {
  if constexpr (kDirection == ComparisonDirection::kGe) {
    return current >= candidate;
  } else if constexpr (kDirection == ComparisonDirection::kGt) {
    return current > candidate;
  } else if constexpr (kDirection == ComparisonDirection::kLe) {
    return current <= candidate;
  } else {
    return current < candidate;
  }
}

class SelectAndScatterKernel : public NativeKernel {
 public:
  SelectAndScatterKernel(PrimitiveType type, ComparisonDirection direction,
                         std::vector<SelectLoop> loops, int64_t shared,
                         int64_t inner, int64_t elements)
      : type_(type), direction_(direction), loops_(std::move(loops)),
        shared_(shared), inner_(inner), elements_(elements) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    switch (type_) {
      case kF32:
        return RunAs<float>(operands, results[0], context.pool);
      case kF64:
        return RunAs<double>(operands, results[0], context.pool);
      case kBF16:
        return RunAs<BFloat16>(operands, results[0], context.pool);
      case kF16:
        return RunAs<Half>(operands, results[0], context.pool);
      default:
        return RunAs<int32_t>(operands, results[0], context.pool);
    }
  }

 private:
  template <typename T>
  absl::Status RunAs(absl::Span<const void* const> operands, void* result,
                     ThreadPool* pool) const {
    switch (direction_) {
      case ComparisonDirection::kGe:
        return Select<T, ComparisonDirection::kGe>(operands, result, pool);
      case ComparisonDirection::kGt:
        return Select<T, ComparisonDirection::kGt>(operands, result, pool);
      case ComparisonDirection::kLe:
        return Select<T, ComparisonDirection::kLe>(operands, result, pool);
      default:
        return Select<T, ComparisonDirection::kLt>(operands, result, pool);
    }
  }

  template <typename T, ComparisonDirection kDirection>
  absl::Status Select(absl::Span<const void* const> operands, void* result,
                      ThreadPool* pool) const {
    const T* operand = static_cast<const T*>(operands[0]);
    const T* source = static_cast<const T*>(operands[1]);
    const T init = *static_cast<const T*>(operands[2]);
    T* out = static_cast<T*>(result);
    pool->ParallelFor(elements_, 1 << 16, [&](int64_t begin, int64_t end) {
      std::fill(out + begin, out + end, init);
    });
    // Dimensions without windows come first: threads share them, and each
    // window's elements belong to one of them.
    int64_t rows = 1;
    for (int64_t d = 0; d < shared_; ++d) rows *= loops_[d].outputs;
    int64_t windows = 1;
    for (size_t d = shared_; d < loops_.size(); ++d) {
      windows *= loops_[d].outputs;
    }
    // Elements side by side that have equal windows are done together.
    const int64_t run = std::min<int64_t>(inner_, kRun);
    const int64_t runs = (inner_ + run - 1) / run;
    pool->ParallelFor(
        rows * runs, GrainFor(windows * run * 8),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            int64_t at = i % runs * run, from = at, rest = i / runs;
            const int64_t count = std::min(run, inner_ - at);
            for (int64_t d = shared_; d-- > 0;) {
              const int64_t p = rest % loops_[d].outputs;
              rest /= loops_[d].outputs;
              at += p * loops_[d].operand;
              from += p * loops_[d].source;
            }
            Windows<T, kDirection>(operand + at, source + from, out + at,
                                   windows, count);
          }
        });
    return absl::OkStatus();
  }

  static constexpr int64_t kRun = 64;

  template <typename T, ComparisonDirection kDirection>
  void Windows(const T* operand, const T* source, T* out, int64_t windows,
               int64_t count) const {
    std::vector<int64_t> offsets, more;
    std::vector<interpreter::WindowTaps> taps(loops_.size() - shared_);
    for (int64_t w = 0; w < windows; ++w) {
      int64_t from = 0, rest = w;
      offsets.assign(1, 0);
      // Taps in row-major order of the window: the first of equal ones counts.
      for (size_t d = loops_.size(); d-- > static_cast<size_t>(shared_);) {
        const SelectLoop& loop = loops_[d];
        const int64_t p = rest % loop.outputs;
        rest /= loop.outputs;
        from += p * loop.source;
        taps[d - shared_] = interpreter::TapsAt(loop.window, loop.size, p);
      }
      for (size_t d = 0; d < taps.size(); ++d) {
        const interpreter::WindowTaps& t = taps[d];
        const int64_t step = loops_[shared_ + d].operand;
        more.clear();
        for (int64_t base : offsets) {
          for (int64_t k = 0; k < t.count; ++k) {
            more.push_back(base + (t.first_index + k * t.index_step) * step);
          }
        }
        offsets.swap(more);
      }
      if (offsets.empty()) continue;
      T best[kRun];
      int32_t place[kRun];
      for (int64_t i = 0; i < count; ++i) {
        best[i] = operand[offsets[0] + i];
        place[i] = 0;
      }
      for (size_t t = 1; t < offsets.size(); ++t) {
        const T* candidates = operand + offsets[t];
        for (int64_t i = 0; i < count; ++i) {
          const T candidate = candidates[i];
          const bool keep = KeepsCurrent<kDirection>(best[i], candidate);
          best[i] = keep ? best[i] : candidate;
          place[i] = keep ? place[i] : static_cast<int32_t>(t);
        }
      }
      for (int64_t i = 0; i < count; ++i) {
        T& sum = out[offsets[place[i]] + i];
        sum = static_cast<T>(source[from + i] + sum);
      }
    }
  }

  PrimitiveType type_;
  ComparisonDirection direction_;
  // Those without a window (shared_ of them), then the others.
  std::vector<SelectLoop> loops_;
  int64_t shared_;
  int64_t inner_;
  int64_t elements_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeSelectAndScatterKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  if (instruction.operand_count() != 3 || instruction.window() == nullptr ||
      instruction.called_computations().size() != 2) {
    return nullptr;
  }
  const auto operand = ViewOf(instruction.operand(0)->shape());
  const auto source = ViewOf(instruction.operand(1)->shape());
  const auto init = ViewOf(instruction.operand(2)->shape());
  const auto out = ViewOf(instruction.shape());
  if (!operand || !source || !init || !out || operand->type != out->type ||
      source->type != out->type || init->type != out->type ||
      operand->strides != out->strides) {
    return nullptr;
  }
  switch (out->type) {
    case kF32:
    case kF64:
    case kBF16:
    case kF16:
    case kS32:
      break;
    default:
      return nullptr;
  }
  const auto comparison = interpreter::RecognizeComparison(
      *instruction.called_computation(0), 0, 1);
  const auto combiner =
      interpreter::RecognizeCombiner(*instruction.called_computation(1));
  if (!comparison || comparison->element != out->type ||
      comparison->type == ComparisonType::kFloatTotalOrder ||
      comparison->direction == ComparisonDirection::kEq ||
      comparison->direction == ComparisonDirection::kNe ||
      combiner.kind != interpreter::Combiner::kBinary ||
      combiner.opcode != Opcode::kAdd || combiner.type != out->type) {
    return nullptr;
  }
  const Window& window = *instruction.window();
  std::vector<SelectLoop> shared, windowed;
  int64_t inner = 1, taps = 1;
  for (int64_t d = 0; d < out->rank(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    const SelectLoop loop = {w, operand->sizes[d], source->sizes[d],
                             operand->strides[d], source->strides[d]};
    const bool trivial = w.size == 1 && w.stride == 1 && w.padding_low == 0 &&
                         w.padding_high == 0 && w.base_dilation == 1;
    if (!trivial) {
      windowed.push_back(loop);
      taps *= w.size;
      if (taps > 4096) return nullptr;
    } else if (inner == 1 && loop.operand == 1 && loop.source == 1 &&
               loop.size > 1) {
      inner = loop.size;
    } else {
      shared.push_back(loop);
    }
  }
  const int64_t shared_count = shared.size();
  shared.insert(shared.end(), windowed.begin(), windowed.end());
  return std::make_unique<SelectAndScatterKernel>(
      out->type, comparison->direction, std::move(shared), shared_count, inner,
      out->elements);
}

}  // namespace hlokit::cpu
