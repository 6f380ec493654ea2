// Reshapes, and the operations that read and set dynamic sizes.
#include <utility>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/sizes.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

// The only dynamic dimension of [begin, end), -1 if there is none, -2 if there
// are several.
int64_t OnlyDynamicDimension(const Shape& shape, int64_t begin, int64_t end) {
  int64_t found = -1;
  for (int64_t i = begin; i < end; ++i) {
    if (!shape.is_dynamic_dimension(i)) continue;
    if (found >= 0) return -2;
    found = i;
  }
  return found;
}

// Live sizes after a reshape. Dimensions are matched in groups with equal
// products of bounds; within a group the live elements must fill one dynamic
// dimension of the result.
absl::StatusOr<DimensionVector> ReshapedLiveSizes(const Literal& operand,
                                                  const Shape& shape) {
  const Shape& from = operand.shape();
  const DimensionVector live = LiveDimensions(operand);
  DimensionVector result(shape.dimensions().begin(), shape.dimensions().end());
  int64_t i = 0, j = 0;
  while (i < from.rank() || j < shape.rank()) {
    const int64_t i0 = i, j0 = j;
    int64_t a = i < from.rank() ? from.dimension(i++) : 1;
    int64_t b = j < shape.rank() ? shape.dimension(j++) : 1;
    while (a != b && (i < from.rank() || j < shape.rank())) {
      if ((a < b || j == shape.rank()) && i < from.rank()) {
        a *= from.dimension(i++);
      } else {
        b *= shape.dimension(j++);
      }
    }
    const int64_t count =
        Product(absl::MakeConstSpan(live).subspan(i0, i - i0));
    const int64_t dynamic = OnlyDynamicDimension(shape, j0, j);
    if (count == a) continue;
    int64_t others = 1;
    for (int64_t k = j0; k < j; ++k) {
      if (k != dynamic) others *= shape.dimension(k);
    }
    if (dynamic < 0 || others == 0 || count % others != 0 ||
        count / others > shape.dimension(dynamic)) {
      return Unimplemented("the live part of %s does not fit %s",
                           from.ToString(), shape.ToString());
    }
    result[dynamic] = count / others;
  }
  return result;
}

absl::Status CheckReshape(const Literal& operand, const Shape& shape) {
  if (operand.shape().IsArray() && shape.IsArray() &&
      operand.element_type() == shape.element_type()) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s cannot become %s", operand.shape().ToString(),
                         shape.ToString());
}

// `live` elements of the operand, in order, as the live part of `shape`.
absl::StatusOr<Literal> FillLive(const Literal& operand, const Shape& shape,
                                 absl::Span<const int64_t> live) {
  const Literal compact = Compact(operand);
  if (Product(live) != compact.element_count()) {
    return InvalidArgument("%d elements cannot fill %d",
                           compact.element_count(), Product(live));
  }
  Literal reshaped = Reshaped(
      compact, Shape::ArrayWithDescendingLayout(shape.element_type(), live));
  return ExpandToBounds(std::move(reshaped), shape);
}

absl::StatusOr<int64_t> DimensionOf(const Literal& operand,
                                    const Instruction& instruction) {
  const int64_t dimension =
      instruction.dimensions().empty() ? -1 : instruction.dimension(0);
  if (!operand.shape().IsArray() || dimension < 0 ||
      dimension >= operand.shape().rank()) {
    return InvalidArgument("%s has no dimension %d",
                           operand.shape().ToString(), dimension);
  }
  return dimension;
}

}  // namespace

absl::StatusOr<Literal> EvalReshape(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  HLOKIT_RETURN_IF_ERROR(CheckReshape(*operands[0], shape));
  if (operands[0]->element_count() != ElementsIn(shape)) {
    return InvalidArgument("%s cannot become %s",
                           operands[0]->shape().ToString(), shape.ToString());
  }
  if (!HasDeadElements(*operands[0])) {
    Literal result = Reshaped(context.TakeOperand(operands, 0), shape);
    return result;
  }
  HLOKIT_ASSIGN_OR_RETURN(const DimensionVector live,
                          ReshapedLiveSizes(*operands[0], shape));
  return FillLive(*operands[0], shape, live);
}

absl::StatusOr<Literal> EvalDynamicReshape(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const Shape& shape = instruction.shape();
  if (static_cast<int64_t>(operands.size()) != 1 + shape.rank()) {
    return InvalidArgument("%d sizes for %s", operands.size() - 1,
                           shape.ToString());
  }
  HLOKIT_RETURN_IF_ERROR(CheckReshape(*operands[0], shape));
  DimensionVector live;
  for (const Literal* size : operands.subspan(1)) {
    if (!size->shape().IsScalar() || !IsIntegerType(size->element_type())) {
      return InvalidArgument("%s is no size", size->shape().ToString());
    }
    const int64_t value = size->GetAsInt64(0);
    const int64_t bound = shape.dimension(live.size());
    if (value < 0 || value > bound) {
      return InvalidArgument("the size %d is beyond the bound %d", value,
                             bound);
    }
    live.push_back(value);
  }
  return FillLive(*operands[0], shape, live);
}

absl::StatusOr<Literal> EvalGetDimensionSize(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(const int64_t dimension,
                          DimensionOf(*operands[0], instruction));
  if (!instruction.shape().IsScalar()) {
    return InvalidArgument("%s is no size", instruction.shape().ToString());
  }
  Literal result = Literal::Zeros(instruction.shape());
  result.SetFromInt64(0, operands[0]->dynamic_size(dimension));
  return result;
}

absl::StatusOr<Literal> EvalSetDimensionSize(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  HLOKIT_ASSIGN_OR_RETURN(const int64_t dimension,
                          DimensionOf(*operands[0], instruction));
  const Literal& size = *operands[1];
  if (!size.shape().IsScalar() || !IsIntegerType(size.element_type())) {
    return InvalidArgument("%s is no size", size.shape().ToString());
  }
  const int64_t value = size.GetAsInt64(0);
  const int64_t bound = operands[0]->shape().dimension(dimension);
  if (value < 0 || value > bound) {
    return InvalidArgument("the size %d is beyond the bound %d", value, bound);
  }
  if (!ShapesCompatible(operands[0]->shape(), instruction.shape())) {
    return InvalidArgument("the operand is %s, the result %s",
                           operands[0]->shape().ToString(),
                           instruction.shape().ToString());
  }
  Literal result =
      WithShape(context.TakeOperand(operands, 0), instruction.shape());
  result.set_dynamic_size(dimension, value);
  return result;
}

}  // namespace hlokit::interpreter
