// Asynchronous operations: the work is done at the start, or at the update that
// brings the last operand; what is passed on to the end is a tuple of the
// operands, the result, and state that nobody reads.
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

absl::Status BadTuple(const Shape& shape) {
  return InvalidArgument("%s is not the tuple of an asynchronous operation",
                         shape.ToString());
}

// Puts `parts` into the first elements of a value of `shape`, zeros into the
// others.
absl::StatusOr<Literal> StartTuple(const Shape& shape,
                                   std::vector<Literal> parts) {
  if (!shape.IsTuple() || shape.tuple_shapes().size() < parts.size()) {
    return BadTuple(shape);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!ShapesCompatible(parts[i].shape(), shape.tuple_shape(i))) {
      return InvalidArgument("part %d is %s instead of %s", i,
                             parts[i].shape().ToString(),
                             shape.tuple_shape(i).ToString());
    }
  }
  for (size_t i = parts.size(); i < shape.tuple_shapes().size(); ++i) {
    parts.push_back(Literal::Zeros(shape.tuple_shape(i)));
  }
  return WithShape(Literal::Tuple(std::move(parts)), shape);
}

absl::StatusOr<Literal> ElementOf(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands,
                                  size_t index) {
  if (operands.empty() || operands[0]->elements().size() <= index) {
    return BadTuple(operands.empty() ? Shape() : operands[0]->shape());
  }
  Literal element = operands[0]->elements()[index];
  if (!ShapesCompatible(element.shape(), instruction.shape())) {
    return InvalidArgument("the result is %s instead of %s",
                           element.shape().ToString(),
                           instruction.shape().ToString());
  }
  return WithShape(std::move(element), instruction.shape());
}

// The tuple after all of `arguments` are known: with the result, if they are
// as many as the wrapped computation takes, else with zeros in its place.
absl::StatusOr<Literal> RunWrapped(Context& context,
                                   const Instruction& instruction,
                                   std::vector<Literal> arguments) {
  const Computation* wrapped = instruction.async_wrapped_computation();
  const Shape& shape = instruction.shape();
  if (wrapped == nullptr) {
    return InvalidArgument("it belongs to no async-start");
  }
  if (!shape.IsTuple() || shape.tuple_shapes().size() < 2) {
    return BadTuple(shape);
  }
  Literal result;
  if (static_cast<int64_t>(arguments.size()) == wrapped->parameter_count()) {
    HLOKIT_ASSIGN_OR_RETURN(result, context.Call(*wrapped, arguments));
  } else {
    result = Literal::Zeros(shape.tuple_shape(1));
  }
  std::vector<Literal> parts;
  parts.push_back(Literal::Tuple(std::move(arguments)));
  parts.push_back(std::move(result));
  return StartTuple(shape, std::move(parts));
}

}  // namespace

absl::StatusOr<Literal> EvalAsyncStart(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  std::vector<Literal> arguments;
  for (const Literal* operand : operands) arguments.push_back(*operand);
  return RunWrapped(context, instruction, std::move(arguments));
}

absl::StatusOr<Literal> EvalAsyncUpdate(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  if (operands.empty() || operands[0]->elements().size() < 2) {
    return BadTuple(operands.empty() ? Shape() : operands[0]->shape());
  }
  if (operands.size() == 1) {
    return WithShape(*operands[0], instruction.shape());
  }
  const absl::Span<const Literal> bound =
      operands[0]->elements()[0].elements();
  std::vector<Literal> arguments(bound.begin(), bound.end());
  for (const Literal* operand : operands.subspan(1)) {
    arguments.push_back(*operand);
  }
  return RunWrapped(context, instruction, std::move(arguments));
}

absl::StatusOr<Literal> EvalAsyncDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return ElementOf(context, instruction, operands, 1);
}

absl::StatusOr<Literal> EvalCopyStart(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return StartTuple(instruction.shape(), {*operands[0], *operands[0]});
}

absl::StatusOr<Literal> EvalCopyDone(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return ElementOf(context, instruction, operands, 0);
}

}  // namespace hlokit::interpreter
