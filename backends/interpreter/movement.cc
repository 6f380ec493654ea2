// Operations that put each element into another place: all are strided copies.
#include <algorithm>
#include <utility>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/sizes.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"
#include "hlo/ir/padding.h"

namespace hlokit::interpreter {
namespace {

absl::Status CheckSameType(const Literal& operand,
                           const Instruction& instruction) {
  if (operand.shape().IsArray() &&
      operand.element_type() == instruction.shape().element_type()) {
    return absl::OkStatus();
  }
  return InvalidArgument("the operand is %s, the result %s",
                         operand.shape().ToString(),
                         instruction.shape().ToString());
}

absl::Status BadDimensions(const Literal& operand,
                           const Instruction& instruction) {
  return InvalidArgument("the attributes do not fit %s -> %s",
                         operand.shape().ToString(),
                         instruction.shape().ToString());
}

int64_t ElementBytes(const Literal& array) {
  return StorageBytes(array.element_type());
}

bool IsPermutation(absl::Span<const int64_t> dimensions) {
  std::vector<bool> seen(dimensions.size(), false);
  for (int64_t d : dimensions) {
    if (d < 0 || d >= static_cast<int64_t>(dimensions.size()) || seen[d]) {
      return false;
    }
    seen[d] = true;
  }
  return true;
}

// Fills `count` elements with one.
void FillWith(const char* element, int64_t element_bytes, char* target,
              int64_t count) {
  const CopyLoop loop = {count, 0, 1};
  StridedCopy(absl::MakeConstSpan(&loop, 1), element, target, element_bytes);
}

}  // namespace

absl::StatusOr<Literal> EvalBroadcast(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const Shape& shape = instruction.shape();
  HLOKIT_RETURN_IF_ERROR(CheckSameType(operand, instruction));
  const absl::Span<const int64_t> dimensions = instruction.dimensions();
  if (static_cast<int64_t>(dimensions.size()) != operand.shape().rank()) {
    return BadDimensions(operand, instruction);
  }
  DimensionVector live(shape.dimensions().begin(), shape.dimensions().end());
  DimensionVector source(shape.rank(), 0);
  const DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= shape.rank()) return BadDimensions(operand, instruction);
    live[d] = operand.dynamic_size(i);
    source[d] = strides[i];
  }
  return MakeLive(shape, live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    CopyLoops loops;
    for (size_t i = 0; i < live.size(); ++i) {
      loops.push_back({live[i], source[i], to[i]});
    }
    StridedCopy(loops, operand.untyped_data(), target, ElementBytes(operand));
  });
}

absl::StatusOr<Literal> EvalTranspose(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  HLOKIT_RETURN_IF_ERROR(CheckSameType(operand, instruction));
  const absl::Span<const int64_t> dimensions = instruction.dimensions();
  if (static_cast<int64_t>(dimensions.size()) != operand.shape().rank() ||
      !IsPermutation(dimensions)) {
    return BadDimensions(operand, instruction);
  }
  const DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  DimensionVector live;
  for (int64_t d : dimensions) live.push_back(operand.dynamic_size(d));
  return MakeLive(instruction.shape(), live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    CopyLoops loops;
    for (size_t i = 0; i < live.size(); ++i) {
      loops.push_back({live[i], strides[dimensions[i]], to[i]});
    }
    StridedCopy(loops, operand.untyped_data(), target, ElementBytes(operand));
  });
}

absl::StatusOr<Literal> EvalReverse(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  HLOKIT_RETURN_IF_ERROR(CheckSameType(operand, instruction));
  const DimensionVector live = LiveDimensions(operand);
  DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  const DimensionVector forward = strides;
  int64_t first = 0;
  for (int64_t d : instruction.dimensions()) {
    if (d < 0 || d >= operand.shape().rank() || strides[d] != forward[d]) {
      return BadDimensions(operand, instruction);
    }
    first += (live[d] - 1) * forward[d];
    strides[d] = -forward[d];
  }
  return MakeLive(instruction.shape(), live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    CopyLoops loops;
    for (size_t i = 0; i < live.size(); ++i) {
      loops.push_back({live[i], strides[i], to[i]});
    }
    StridedCopy(loops, operand.untyped_data() + first * ElementBytes(operand),
                target, ElementBytes(operand));
  });
}

absl::StatusOr<Literal> EvalSlice(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  HLOKIT_RETURN_IF_ERROR(CheckSameType(operand, instruction));
  const SliceRanges* ranges =
      instruction.attrs().Get<SliceRanges>(AttrId::kSlice);
  const int64_t rank = operand.shape().rank();
  if ((ranges == nullptr ? 0 : static_cast<int64_t>(ranges->size())) != rank) {
    return BadDimensions(operand, instruction);
  }
  const DimensionVector strides = RowMajorStrides(operand.shape().dimensions());
  DimensionVector live;
  int64_t first = 0;
  for (int64_t i = 0; i < rank; ++i) {
    const SliceRange& range = (*ranges)[i];
    if (range.start < 0 || range.stride < 1 || range.start > range.limit ||
        range.limit > operand.shape().dimension(i)) {
      return BadDimensions(operand, instruction);
    }
    const int64_t limit = std::min(range.limit, operand.dynamic_size(i));
    const int64_t length = std::max<int64_t>(limit - range.start, 0);
    live.push_back(length / range.stride + (length % range.stride != 0));
    first += range.start * strides[i];
  }
  return MakeLive(instruction.shape(), live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    CopyLoops loops;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t step = live[i] > 1 ? (*ranges)[i].stride * strides[i] : 0;
      loops.push_back({live[i], step, to[i]});
    }
    StridedCopy(loops, operand.untyped_data() + first * ElementBytes(operand),
                target, ElementBytes(operand));
  });
}

absl::StatusOr<Literal> EvalConcatenate(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands.empty() || instruction.dimensions().size() != 1) {
    return InvalidArgument("concatenate takes operands and one dimension");
  }
  const int64_t along = instruction.dimension(0);
  for (const Literal* operand : operands) {
    HLOKIT_RETURN_IF_ERROR(CheckSameType(*operand, instruction));
  }
  DimensionVector live = LiveDimensions(*operands[0]);
  if (along < 0 || along >= static_cast<int64_t>(live.size())) {
    return BadDimensions(*operands[0], instruction);
  }
  live[along] = 0;
  for (const Literal* operand : operands) {
    DimensionVector sizes = LiveDimensions(*operand);
    if (sizes.size() != live.size()) {
      return BadDimensions(*operand, instruction);
    }
    live[along] += sizes[along];
    sizes[along] = live[along];
    if (sizes != live) return BadDimensions(*operand, instruction);
  }
  return MakeLive(instruction.shape(), live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    for (const Literal* operand : operands) {
      const DimensionVector sizes = LiveDimensions(*operand);
      const DimensionVector from =
          RowMajorStrides(operand->shape().dimensions());
      CopyLoops loops;
      for (size_t i = 0; i < sizes.size(); ++i) {
        loops.push_back({sizes[i], from[i], to[i]});
      }
      StridedCopy(loops, operand->untyped_data(), target,
                  ElementBytes(*operand));
      target += sizes[along] * to[along] * ElementBytes(*operand);
    }
  });
}

absl::StatusOr<Literal> EvalPad(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  const Literal& operand = *operands[0];
  const Literal& value = *operands[1];
  HLOKIT_RETURN_IF_ERROR(CheckSameType(operand, instruction));
  HLOKIT_RETURN_IF_ERROR(CheckSameType(value, instruction));
  const PaddingConfig* padding =
      instruction.attrs().Get<PaddingConfig>(AttrId::kPadding);
  const int64_t rank = operand.shape().rank();
  if ((padding == nullptr ? 0 : static_cast<int64_t>(
                                    padding->dimensions.size())) != rank ||
      instruction.shape().rank() != rank || !value.shape().IsScalar()) {
    return BadDimensions(operand, instruction);
  }
  std::vector<PadSpan> pads;
  DimensionVector live;
  for (int64_t i = 0; i < rank; ++i) {
    const PaddingDimension& dimension = padding->dimensions[i];
    const auto size = PaddedSize(dimension, operand.dynamic_size(i));
    if (!size.has_value() || *size > instruction.shape().dimension(i)) {
      return BadDimensions(operand, instruction);
    }
    live.push_back(std::max<int64_t>(*size, 0));
    pads.push_back(
        PadSpanOf(dimension, operand.dynamic_size(i), live.back()));
  }
  const int64_t bytes = ElementBytes(operand);
  return MakeLive(instruction.shape(), live, [&](char* target) {
    FillWith(value.untyped_data(), bytes, target, Product(live));
    const DimensionVector from = RowMajorStrides(operand.shape().dimensions());
    const DimensionVector to = RowMajorStrides(live);
    const char* source = operand.untyped_data();
    CopyLoops loops;
    for (int64_t i = 0; i < rank; ++i) {
      if (pads[i].count == 0) return;
      source += pads[i].first * from[i] * bytes;
      target += pads[i].place * to[i] * bytes;
      loops.push_back({pads[i].count, from[i], pads[i].step * to[i]});
    }
    StridedCopy(loops, source, target, bytes);
  });
}

}  // namespace hlokit::interpreter
