#include <utility>
#include <vector>

#include "backends/interpreter/dynamic_dimensions.h"
#include "backends/interpreter/kernels.h"
#include "backends/interpreter/scalar_function.h"
#include "base/status.h"

namespace hlokit::interpreter {
namespace {

absl::Status CheckCalled(const Instruction& instruction, int64_t count) {
  const int64_t called = instruction.called_computations().size();
  if (called == count) return absl::OkStatus();
  return InvalidArgument("%d called computations instead of %d", called,
                         count);
}

absl::StatusOr<Literal> CallWithOperands(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckCalled(instruction, 1));
  std::vector<Literal> arguments;
  arguments.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    arguments.push_back(context.TakeOperand(operands, i));
  }
  HLOKIT_ASSIGN_OR_RETURN(
      Literal result,
      context.Call(*instruction.to_apply(), std::move(arguments)));
  return WithShape(std::move(result), instruction.shape());
}

// The branch that an index chooses: the last one for every index that is none.
absl::StatusOr<int64_t> BranchOf(const Literal& index, int64_t branches) {
  if (index.shape().IsScalar() && index.element_type() == kPred) {
    return index.First<bool>() ? 0 : 1;
  }
  if (!index.shape().IsScalar() || index.element_type() != kS32) {
    return InvalidArgument("%s cannot choose a branch",
                           index.shape().ToString());
  }
  const int32_t number = index.First<int32_t>();
  return number < 0 || number >= branches ? branches - 1 : number;
}

}  // namespace

absl::StatusOr<Literal> EvalCall(Context& context,
                                 const Instruction& instruction,
                                 absl::Span<const Literal* const> operands) {
  return CallWithOperands(context, instruction, operands);
}

absl::StatusOr<Literal> EvalFusion(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  return CallWithOperands(context, instruction, operands);
}

absl::StatusOr<Literal> EvalWhile(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckCalled(instruction, 2));
  Literal state = context.TakeOperand(operands, 0);
  while (true) {
    const Literal* view = &state;
    HLOKIT_ASSIGN_OR_RETURN(const Literal go_on,
                            context.Call(*instruction.while_condition(),
                                         absl::MakeConstSpan(&view, 1)));
    if (!go_on.shape().IsScalar() || go_on.element_type() != kPred) {
      return InvalidArgument("the condition gives %s",
                             go_on.shape().ToString());
    }
    if (!go_on.First<bool>()) break;
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    HLOKIT_ASSIGN_OR_RETURN(
        state, context.Call(*instruction.while_body(), std::move(arguments)));
    if (!ShapesCompatible(state.shape(), instruction.shape())) {
      return InvalidArgument("the body gives %s", state.shape().ToString());
    }
  }
  return WithShape(std::move(state), instruction.shape());
}

absl::StatusOr<Literal> EvalConditional(
    Context& context, const Instruction& instruction,
    absl::Span<const Literal* const> operands) {
  const int64_t branches = instruction.called_computations().size();
  if (branches == 0 || static_cast<int64_t>(operands.size()) != 1 + branches) {
    return InvalidArgument("%d operands for %d branches", operands.size(),
                           branches);
  }
  HLOKIT_ASSIGN_OR_RETURN(const int64_t branch,
                          BranchOf(*operands[0], branches));
  if (branch >= branches) {
    return InvalidArgument("a pred chooses one of two branches, not of %d",
                           branches);
  }
  std::vector<Literal> arguments;
  arguments.push_back(context.TakeOperand(operands, 1 + branch));
  HLOKIT_ASSIGN_OR_RETURN(
      Literal result, context.Call(*instruction.called_computation(branch),
                                   std::move(arguments)));
  return WithShape(std::move(result), instruction.shape());
}

absl::StatusOr<Literal> EvalMap(Context& context,
                                const Instruction& instruction,
                                absl::Span<const Literal* const> operands) {
  HLOKIT_RETURN_IF_ERROR(CheckCalled(instruction, 1));
  const Computation& to_apply = *instruction.to_apply();
  const Shape& shape = instruction.shape();
  if (to_apply.parameter_count() != static_cast<int64_t>(operands.size())) {
    return InvalidArgument("%d operands for %d parameters", operands.size(),
                           to_apply.parameter_count());
  }
  HLOKIT_ASSIGN_OR_RETURN(const auto function,
                          ScalarFunction::Create(context, to_apply));
  if (!to_apply.root()->shape().IsScalar() || !shape.IsArray() ||
      to_apply.root()->shape().element_type() != shape.element_type()) {
    return InvalidArgument("the function gives %s, not an element of %s",
                           to_apply.root()->shape().ToString(),
                           shape.ToString());
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!SameDimensions(operands[k]->shape(), shape) ||
        operands[k]->element_type() !=
            to_apply.parameter(k)->shape().element_type()) {
      return InvalidArgument("operand %d is %s, the result %s", k,
                             operands[k]->shape().ToString(),
                             shape.ToString());
    }
  }
  Literal result = Literal::Zeros(shape);
  char* target = result.mutable_untyped_data();
  const int64_t bytes = StorageBytes(shape.element_type());
  std::vector<ScalarValue> arguments(operands.size());
  ScalarValue value;
  const int64_t count = result.element_count();
  HLOKIT_RETURN_IF_ERROR(context.CountSteps(count));
  for (int64_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < operands.size(); ++k) {
      arguments[k].Load(operands[k]->untyped_data(),
                        StorageBytes(operands[k]->element_type()), i);
    }
    HLOKIT_RETURN_IF_ERROR(
        function->Call(arguments, absl::MakeSpan(&value, 1)));
    value.Store(target, bytes, i);
  }
  for (const Literal* operand : operands) CopyDynamicSizes(*operand, &result);
  return result;
}

}  // namespace hlokit::interpreter
