#include <algorithm>
#include <limits>
#include <utility>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/strided_copy.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// An index as a number; unsigned ones beyond int64 are its maximum.
int64_t IndexValue(const Literal& index, int64_t linear) {
  const int64_t value = index.GetAsInt64(linear);
  return value < 0 && IsUnsignedIntType(index.element_type())
             ? std::numeric_limits<int64_t>::max()
             : value;
}

// The start indices, from one scalar a dimension or one array of all, clamped
// so that the window lies inside.
absl::StatusOr<DimensionVector> ClampedStarts(
    absl::Span<const Literal* const> indices, const Shape& whole,
    absl::Span<const int64_t> window) {
  const int64_t rank = whole.rank();
  const bool array = indices.size() == 1 && indices[0]->shape().rank() == 1;
  const int64_t given =
      array ? indices[0]->shape().dimension(0) : indices.size();
  if (given != rank || static_cast<int64_t>(window.size()) != rank) {
    return InvalidArgument("%d start indices for %s", given, whole.ToString());
  }
  DimensionVector starts(rank);
  for (int64_t i = 0; i < rank; ++i) {
    const Literal& index = *indices[array ? 0 : i];
    if (!IsIntegerType(index.element_type()) ||
        (!array && !index.shape().IsScalar())) {
      return InvalidArgument("%s is no start index", index.shape().ToString());
    }
    const int64_t room = whole.dimension(i) - window[i];
    if (window[i] < 0 || room < 0) {
      return InvalidArgument("%s has no window of size %d in dimension %d",
                             whole.ToString(), window[i], i);
    }
    starts[i] = std::clamp<int64_t>(IndexValue(index, array ? i : 0), 0, room);
  }
  return starts;
}

int64_t Offset(absl::Span<const int64_t> index,
               absl::Span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

}  // namespace

absl::StatusOr<Literal> EvalDynamicSlice(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands.empty()) return InvalidArgument("there is no operand");
  const Literal& operand = *operands[0];
  const Shape& shape = instruction.shape();
  if (!operand.shape().IsArray() ||
      operand.element_type() != shape.element_type()) {
    return InvalidArgument("%s cannot be cut from %s", shape.ToString(),
                           operand.shape().ToString());
  }
  HLOKIT_ASSIGN_OR_RETURN(
      const DimensionVector starts,
      ClampedStarts(operands.subspan(1), operand.shape(), shape.dimensions()));
  DimensionVector live(shape.dimensions().begin(), shape.dimensions().end());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!shape.is_dynamic_dimension(i)) continue;
    live[i] = std::clamp<int64_t>(operand.dynamic_size(i) - starts[i], 0,
                                  live[i]);
  }
  const DimensionVector from = RowMajorStrides(operand.shape().dimensions());
  const int64_t bytes = StorageBytes(shape.element_type());
  return MakeLive(shape, live, [&](char* target) {
    const DimensionVector to = RowMajorStrides(live);
    CopyLoops loops;
    for (size_t i = 0; i < live.size(); ++i) {
      loops.push_back({live[i], from[i], to[i]});
    }
    StridedCopy(loops, operand.untyped_data() + Offset(starts, from) * bytes,
                target, bytes);
  });
}

absl::StatusOr<Literal> EvalDynamicUpdateSlice(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands.size() < 2) return InvalidArgument("there is no update");
  const Literal update = *operands[1];
  if (!ShapesCompatible(operands[0]->shape(), instruction.shape()) ||
      !update.shape().IsArray() ||
      update.element_type() != instruction.shape().element_type()) {
    return InvalidArgument("%s cannot be written into %s",
                           update.shape().ToString(),
                           operands[0]->shape().ToString());
  }
  HLOKIT_ASSIGN_OR_RETURN(
      const DimensionVector starts,
      ClampedStarts(operands.subspan(2), operands[0]->shape(),
                    update.shape().dimensions()));
  Literal result =
      WithShape(context.TakeOperand(operands, 0), instruction.shape());
  char* target = result.mutable_untyped_data();
  const DimensionVector from = RowMajorStrides(update.shape().dimensions());
  const DimensionVector to = RowMajorStrides(result.shape().dimensions());
  CopyLoops loops;
  for (int64_t i = 0; i < update.shape().rank(); ++i) {
    loops.push_back({update.dynamic_size(i), from[i], to[i]});
  }
  const int64_t bytes = StorageBytes(update.element_type());
  StridedCopy(loops, update.untyped_data(), target + Offset(starts, to) * bytes,
              bytes);
  return result;
}

}  // namespace hlokit::interpreter
