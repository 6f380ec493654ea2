// Operations that only hand values on.
#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

absl::StatusOr<Literal> HandOn(Context& context, const Instruction& instruction,
                               absl::Span<const Literal* const> operands) {
  if (!ShapesCompatible(operands[0]->shape(), instruction.shape())) {
    return InvalidArgument("the operand is %s, the result %s",
                           operands[0]->shape().ToString(),
                           instruction.shape().ToString());
  }
  return WithShape(context.TakeOperand(operands, 0), instruction.shape());
}

}  // namespace

absl::StatusOr<Literal> EvalAddDependency(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return HandOn(context, instruction, operands);
}

absl::StatusOr<Literal> EvalAfterAll(Context&, const Instruction&,
                                     absl::Span<const Literal* const>) {
  return Literal::Token();
}

absl::StatusOr<Literal> EvalConstant(Context& context,
                                     const Instruction& instruction,
                                     absl::Span<const Literal* const>) {
  const Literal* literal = instruction.literal();
  if (literal == nullptr) return InvalidArgument("the constant has no value");
  if (!ShapesCompatible(literal->shape(), instruction.shape())) {
    return InvalidArgument("the value is %s, the constant %s",
                           literal->shape().ToString(),
                           instruction.shape().ToString());
  }
  return WithShape(*literal, instruction.shape());
}

absl::StatusOr<Literal> EvalCopy(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return HandOn(context, instruction, operands);
}

absl::StatusOr<Literal> EvalDomain(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  return HandOn(context, instruction, operands);
}

absl::StatusOr<Literal> EvalOptBarrier(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  return HandOn(context, instruction, operands);
}

absl::StatusOr<Literal> EvalGetTupleElement(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const int64_t index = instruction.tuple_index();
  const int64_t count = operands[0]->elements().size();
  if (!operands[0]->shape().IsTuple() || index < 0 || index >= count) {
    return InvalidArgument("%s has no element %d",
                           operands[0]->shape().ToString(), index);
  }
  if (!context.OperandDies(operands, 0)) {
    return WithShape(operands[0]->elements()[index], instruction.shape());
  }
  Literal tuple = context.TakeOperand(operands, 0);
  return WithShape(std::move(tuple.mutable_elements()[index]),
                   instruction.shape());
}

absl::StatusOr<Literal> EvalParameter(Context& context,
                                      const Instruction& instruction,
                                      absl::Span<const Literal* const>) {
  return FailedPrecondition("%s has no argument", instruction.name());
}

absl::StatusOr<Literal> EvalTuple(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  std::vector<Literal> elements;
  elements.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    elements.push_back(context.TakeOperand(operands, i));
  }
  return WithShape(Literal::Tuple(std::move(elements)), instruction.shape());
}

}  // namespace hlokit::interpreter
