#include "backends/interpreter/live_operands.h"

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/elementwise.h"
#include "base/status.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit::interpreter {
namespace {

absl::StatusOr<Shape> Infer(const Instruction& instruction,
                            absl::Span<const Literal* const> operands) {
  absl::InlinedVector<const Shape*, 8> shapes;
  for (const Literal* operand : operands) shapes.push_back(&operand->shape());
  InferenceInput input;
  input.opcode = instruction.opcode();
  input.operands = shapes;
  input.attrs = &instruction.attrs();
  input.called = instruction.called_computations();
  input.explicit_shape = &instruction.shape();
  return InferShape(input);
}

// Inferred and declared shape agree but for float precision and layout.
bool Agree(const Shape& inferred, const Shape& declared) {
  ShapeEqual equal;
  equal.ignore_layout = true;
  equal.ignore_fp_precision = true;
  equal.ignore_dynamic_dimension = true;
  return equal(inferred, declared);
}

bool AllLive(absl::Span<const Literal* const> operands) {
  for (const Literal* operand : operands) {
    if (HasDeadElements(*operand)) return false;
  }
  return true;
}

// The live dimensions of `live` with everything else of `declared`.
Shape LiveShape(const Shape& live, const Shape& declared) {
  if (declared.IsTuple()) {
    std::vector<Shape> elements;
    for (size_t i = 0; i < declared.tuple_shapes().size(); ++i) {
      elements.push_back(
          LiveShape(live.tuple_shape(i), declared.tuple_shape(i)));
    }
    return Shape::Tuple(std::move(elements));
  }
  Shape shape = declared;
  shape.ClearDynamicDimensions();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    shape.set_dimension(i, live.dimension(i));
  }
  return shape;
}

absl::StatusOr<Literal> Expand(const Literal& live, const Shape& declared) {
  if (!declared.IsTuple()) {
    if (!FitsBounds(live.shape(), declared)) {
      return InvalidArgument("the live part %s does not fit %s",
                             live.shape().ToString(), declared.ToString());
    }
    return ExpandToBounds(live, declared);
  }
  std::vector<Literal> elements;
  for (size_t i = 0; i < live.elements().size(); ++i) {
    HLOKIT_ASSIGN_OR_RETURN(
        Literal element, Expand(live.elements()[i], declared.tuple_shape(i)));
    elements.push_back(std::move(element));
  }
  return WithShape(Literal::Tuple(std::move(elements)), declared);
}

}  // namespace

absl::StatusOr<Literal> EvalLive(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands,
                                 LiveKernel kernel) {
  const Shape& declared = instruction.shape();
  HLOKIT_ASSIGN_OR_RETURN(Shape inferred, Infer(instruction, operands));
  if (!Agree(inferred, declared)) {
    return InvalidArgument("the operands give %s, but the result is %s",
                           inferred.ToString(), declared.ToString());
  }
  const bool all_live = AllLive(operands);
  if (all_live && declared.is_static()) {
    HLOKIT_ASSIGN_OR_RETURN(Literal result,
                            kernel(context, instruction, operands, declared));
    return WithShape(std::move(result), declared);
  }
  std::vector<Literal> live;
  std::vector<const Literal*> pointers;
  for (const Literal* operand : operands) live.push_back(Compact(*operand));
  for (const Literal& operand : live) pointers.push_back(&operand);
  if (!all_live) {
    HLOKIT_ASSIGN_OR_RETURN(inferred, Infer(instruction, pointers));
  }
  HLOKIT_ASSIGN_OR_RETURN(
      Literal result, kernel(context, instruction, pointers,
                             LiveShape(inferred, declared)));
  return Expand(result, declared);
}

absl::StatusOr<Literal> WithElements(const Literal& array, PrimitiveType type) {
  if (array.element_type() == type) return array;
  return ConvertTo(array, Shape::ArrayWithDescendingLayout(
                              type, array.shape().dimensions()));
}

absl::StatusOr<Literal> AsShape(Literal array, const Shape& shape) {
  if (array.element_type() != shape.element_type()) {
    return ConvertTo(array, shape);
  }
  array.set_shape(shape);
  return array;
}

}  // namespace hlokit::interpreter
