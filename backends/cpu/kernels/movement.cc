// Copy, transpose, reshape, broadcast, slice, reverse, pad, concatenate: each
// is a few strided moves that are known beforehand.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/arrays.h"
#include "backends/cpu/kernels/indices.h"
#include "backends/cpu/kernels/strided_move.h"
#include "backends/cpu/native_kernel.h"
#include "hlo/ir/padding.h"

namespace hlokit::cpu {
namespace {

// Moves from operands into the result, one after another.
class MovesKernel : public NativeKernel {
 public:
  struct Move {
    int64_t operand;
    int64_t source_offset;  // bytes
    int64_t target_offset;
    StridedMove move;
  };

  // Offsets in elements.
  void Add(int64_t operand, int64_t source, int64_t target,
           absl::Span<const MoveLoop> loops, int64_t element_bytes) {
    moves_.push_back({operand, source * element_bytes, target * element_bytes,
                      StridedMove(loops, element_bytes)});
  }

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    for (const Move& move : moves_) {
      const char* source =
          static_cast<const char*>(operands[move.operand]) + move.source_offset;
      char* target = static_cast<char*>(results[0]) + move.target_offset;
      if (source != target) move.move.Run(source, target, context.pool);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Move> moves_;
};

// The views of one operand and the result, which have equal types.
struct MoveViews {
  ArrayView from;
  ArrayView to;
};
std::optional<MoveViews> MoveViewsOf(const Instruction& instruction,
                                     int64_t operand = 0) {
  auto from = ViewOf(instruction.operand(operand)->shape());
  auto to = ViewOf(instruction.shape());
  if (!from || !to || from->type != to->type) return std::nullopt;
  return MoveViews{*std::move(from), *std::move(to)};
}

// One move of everything from operand 0: result dimension d goes along with
// source stride strides[d].
std::unique_ptr<NativeKernel> WholeMove(const ArrayView& to,
                                        absl::Span<const int64_t> strides,
                                        int64_t source_offset = 0) {
  absl::InlinedVector<MoveLoop, 6> loops;
  for (int64_t d = 0; d < to.rank(); ++d) {
    loops.push_back({to.sizes[d], strides[d], to.strides[d]});
  }
  auto kernel = std::make_unique<MovesKernel>();
  kernel->Add(0, source_offset, 0, loops, to.element_bytes);
  return kernel;
}

}  // namespace

std::unique_ptr<NativeKernel> MakeCopyKernel(const Instruction& instruction,
                                             KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  return WholeMove(views->to, views->from.strides);
}

std::unique_ptr<NativeKernel> MakeTransposeKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  DimensionVector strides;
  for (int64_t d : instruction.dimensions()) {
    strides.push_back(views->from.strides[d]);
  }
  return WholeMove(views->to, strides);
}

std::unique_ptr<NativeKernel> MakeReshapeKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  const ArrayView& from = views->from;
  const ArrayView& to = views->to;
  // The dimensions of the side that is not row-major lead the way.
  if (IsRowMajor(from)) {
    return WholeMove(to, RowMajorView(to.type, to.sizes).strides);
  }
  if (!IsRowMajor(to)) return nullptr;
  return WholeMove(RowMajorView(from.type, from.sizes), from.strides);
}

std::unique_ptr<NativeKernel> MakeBroadcastKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  DimensionVector strides(views->to.rank(), 0);
  for (int64_t i = 0; i < views->from.rank(); ++i) {
    strides[instruction.dimension(i)] = views->from.strides[i];
  }
  return WholeMove(views->to, strides);
}

std::unique_ptr<NativeKernel> MakeReverseKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  DimensionVector strides = views->from.strides;
  int64_t offset = 0;
  for (int64_t d : instruction.dimensions()) {
    offset += (views->from.sizes[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return WholeMove(views->to, strides, views->to.elements == 0 ? 0 : offset);
}

std::unique_ptr<NativeKernel> MakeSliceKernel(const Instruction& instruction,
                                              KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  const auto* ranges = instruction.attrs().Get<SliceRanges>(AttrId::kSlice);
  if (!views || (ranges == nullptr && views->to.rank() != 0)) return nullptr;
  DimensionVector strides = views->from.strides;
  int64_t offset = 0;
  for (int64_t d = 0; d < views->to.rank(); ++d) {
    offset += (*ranges)[d].start * strides[d];
    strides[d] *= (*ranges)[d].stride;
  }
  return WholeMove(views->to, strides, offset);
}

std::unique_ptr<NativeKernel> MakeConcatenateKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  auto kernel = std::make_unique<MovesKernel>();
  const int64_t along = instruction.dimension(0);
  int64_t start = 0;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const auto views = MoveViewsOf(instruction, i);
    if (!views) return nullptr;
    const ArrayView& from = views->from;
    const ArrayView& to = views->to;
    absl::InlinedVector<MoveLoop, 6> loops;
    for (int64_t d = 0; d < to.rank(); ++d) {
      loops.push_back({from.sizes[d], from.strides[d], to.strides[d]});
    }
    kernel->Add(i, 0, start * to.strides[along], loops, to.element_bytes);
    start += from.sizes[along];
  }
  return kernel;
}

std::unique_ptr<NativeKernel> MakePadKernel(const Instruction& instruction,
                                            KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  const auto* padding =
      instruction.attrs().Get<PaddingConfig>(AttrId::kPadding);
  if (!views || (padding == nullptr && views->to.rank() != 0)) return nullptr;
  const ArrayView& from = views->from;
  const ArrayView& to = views->to;
  auto kernel = std::make_unique<MovesKernel>();
  if (to.elements == 0) return kernel;
  std::vector<PadSpan> spans(to.rank());
  bool holes = false;
  bool empty = from.elements == 0;
  for (int64_t d = 0; d < to.rank(); ++d) {
    const PadSpan& span = spans[d] =
        PadSpanOf(padding->dimensions[d], from.sizes[d], to.sizes[d]);
    empty = empty || span.count == 0;
    holes = holes || span.step > 1;
  }
  // The value goes around the operand, or everywhere if there are holes.
  const auto fill = [&](int64_t along, int64_t begin, int64_t end) {
    if (begin >= end) return;
    absl::InlinedVector<MoveLoop, 6> loops;
    int64_t offset = 0;
    for (int64_t d = 0; d < to.rank(); ++d) {
      int64_t first = 0, size = to.sizes[d];
      if (d < along) {
        first = spans[d].place;
        size = (spans[d].count - 1) * spans[d].step + 1;
      } else if (d == along) {
        first = begin;
        size = end - begin;
      }
      offset += first * to.strides[d];
      loops.push_back({size, 0, to.strides[d]});
    }
    kernel->Add(1, 0, offset, loops, to.element_bytes);
  };
  if (empty || holes) {
    fill(-1, 0, 1);
  } else {
    for (int64_t d = 0; d < to.rank(); ++d) {
      fill(d, 0, spans[d].place);
      fill(d, spans[d].place + (spans[d].count - 1) * spans[d].step + 1,
           to.sizes[d]);
    }
  }
  if (empty) return kernel;
  absl::InlinedVector<MoveLoop, 6> loops;
  int64_t source = 0, target = 0;
  for (int64_t d = 0; d < to.rank(); ++d) {
    loops.push_back({spans[d].count, from.strides[d],
                     to.strides[d] * spans[d].step});
    source += spans[d].first * from.strides[d];
    target += spans[d].place * to.strides[d];
  }
  kernel->Add(0, source, target, loops, to.element_bytes);
  return kernel;
}

namespace {

// The clamped start of a window in a larger array, in elements.
class WindowStart {
 public:
  // Index operands begin at `first_index`: a scalar a dimension, or one array.
  static std::optional<WindowStart> Of(const Instruction& instruction,
                                       int64_t first_index,
                                       const ArrayView& whole,
                                       absl::Span<const int64_t> window) {
    WindowStart start;
    start.first_ = first_index;
    const int64_t given = instruction.operand_count() - first_index;
    start.array_ =
        given == 1 && instruction.operand(first_index)->shape().rank() == 1;
    if (!start.array_ && given != whole.rank()) return std::nullopt;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      const Shape& shape =
          instruction.operand(first_index + (start.array_ ? 0 : d))->shape();
      if (!IsIntegerType(shape.element_type()) || shape.is_dynamic()) {
        return std::nullopt;
      }
      start.dimensions_.push_back({shape.element_type(),
                                   whole.sizes[d] - window[d],
                                   whole.strides[d]});
    }
    return start;
  }

  int64_t Offset(absl::Span<const void* const> operands) const {
    int64_t offset = 0;
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      const Bound& bound = dimensions_[d];
      const int64_t value =
          array_ ? IndexAt(bound.type, operands[first_], d)
                 : IndexAt(bound.type, operands[first_ + d], 0);
      offset += std::clamp<int64_t>(value, 0, bound.room) * bound.stride;
    }
    return offset;
  }

 private:
  struct Bound {
    PrimitiveType type;
    int64_t room;
    int64_t stride;
  };
  absl::InlinedVector<Bound, 4> dimensions_;
  int64_t first_ = 0;
  bool array_ = false;
};

absl::InlinedVector<MoveLoop, 6> LoopsBetween(const ArrayView& window,
                                              const ArrayView& from,
                                              const ArrayView& to) {
  absl::InlinedVector<MoveLoop, 6> loops;
  for (int64_t d = 0; d < window.rank(); ++d) {
    loops.push_back({window.sizes[d], from.strides[d], to.strides[d]});
  }
  return loops;
}

class DynamicSliceKernel : public NativeKernel {
 public:
  DynamicSliceKernel(const MoveViews& views, WindowStart start)
      : start_(std::move(start)),
        element_bytes_(views.to.element_bytes),
        move_(LoopsBetween(views.to, views.from, views.to), element_bytes_) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    move_.Run(static_cast<const char*>(operands[0]) +
                  start_.Offset(operands) * element_bytes_,
              results[0], context.pool);
    return absl::OkStatus();
  }

 private:
  WindowStart start_;
  int64_t element_bytes_;
  StridedMove move_;
};

// In place when the result lies where operand 0 does.
class DynamicUpdateSliceKernel : public NativeKernel {
 public:
  DynamicUpdateSliceKernel(const MoveViews& views, const ArrayView& update,
                           WindowStart start)
      : start_(std::move(start)),
        element_bytes_(views.to.element_bytes),
        copy_(LoopsBetween(views.to, views.from, views.to), element_bytes_),
        move_(LoopsBetween(update, update, views.to), element_bytes_) {}

  absl::Status Run(absl::Span<const void* const> operands,
                   absl::Span<void* const> results,
                   const KernelContext& context) const override {
    if (operands[0] != results[0]) {
      copy_.Run(operands[0], results[0], context.pool);
    }
    move_.Run(operands[1],
              static_cast<char*>(results[0]) +
                  start_.Offset(operands) * element_bytes_,
              context.pool);
    return absl::OkStatus();
  }

 private:
  WindowStart start_;
  int64_t element_bytes_;
  StridedMove copy_;
  StridedMove move_;
};

}  // namespace

std::unique_ptr<NativeKernel> MakeDynamicSliceKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  if (!views) return nullptr;
  auto start = WindowStart::Of(instruction, 1, views->from, views->to.sizes);
  if (!start) return nullptr;
  return std::make_unique<DynamicSliceKernel>(*views, *std::move(start));
}

std::unique_ptr<NativeKernel> MakeDynamicUpdateSliceKernel(
    const Instruction& instruction, KernelEnvironment& environment) {
  const auto views = MoveViewsOf(instruction);
  const auto update = ViewOf(instruction.operand(1)->shape());
  if (!views || !update || update->type != views->to.type) return nullptr;
  // In place only where both lie alike.
  if (views->from.strides != views->to.strides) return nullptr;
  auto start = WindowStart::Of(instruction, 2, views->to, update->sizes);
  if (!start) return nullptr;
  return std::make_unique<DynamicUpdateSliceKernel>(*views, *update,
                                                    *std::move(start));
}

}  // namespace hlokit::cpu
