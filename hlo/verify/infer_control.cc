#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/ir/literal.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

// Called computation i takes exactly these arguments.
absl::Status CheckArguments(const InferenceInput& in, int64_t i,
                            absl::Span<const Shape* const> arguments) {
  HLOKIT_ASSIGN_OR_RETURN(const Computation* callee, Callee(in, i));
  int64_t count = arguments.size();
  if (callee->parameter_count() != count) {
    return InvalidArgument("%s takes %d parameter%s, found %d",
                           callee->name(), callee->parameter_count(),
                           callee->parameter_count() == 1 ? "" : "s", count);
  }
  for (int64_t p = 0; p < count; ++p) {
    HLOKIT_ASSIGN_OR_RETURN(const Shape* wanted, ParameterOf(*callee, p));
    if (ShapesCompatible(*wanted, *arguments[p])) continue;
    return InvalidArgument("parameter %d of %s is %s, the operand is %s", p,
                           callee->name(), TypeText(*wanted),
                           TypeText(*arguments[p]));
  }
  return absl::OkStatus();
}

absl::Status ExpectToken(const InferenceInput& in, int64_t i) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, i + 1));
  if (in.operands[i]->IsToken()) return absl::OkStatus();
  return InvalidArgument("expected a token as operand %d, found %s", i,
                         TypeText(*in.operands[i]));
}

}  // namespace

Result Parameter(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 0));
  return Declared(in);
}

Result Constant(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 0));
  const Literal* literal = in.attrs->Get<Literal>(AttrId::kLiteral);
  if (literal == nullptr) return Declared(in);
  return literal->shape();
}

Result SameAsOperand(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  return *in.operands[0];
}

Result AddDependency(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 2));
  HLOKIT_RETURN_IF_ERROR(ExpectToken(in, 1));
  return *in.operands[0];
}

Result AfterAll(const InferenceInput& in) {
  for (size_t i = 0; i < in.operands.size(); ++i) {
    HLOKIT_RETURN_IF_ERROR(ExpectToken(in, i));
  }
  return Shape::Token();
}

Result Tuple(const InferenceInput& in) {
  std::vector<Shape> elements;
  elements.reserve(in.operands.size());
  for (const Shape* operand : in.operands) elements.push_back(*operand);
  return Shape::Tuple(std::move(elements));
}

Result GetTupleElement(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  const Shape& operand = *in.operands[0];
  if (!operand.IsTuple()) {
    return InvalidArgument("expected a tuple, found %s", TypeText(operand));
  }
  int64_t count = operand.tuple_shapes().size();
  if (in.number < 0 || in.number >= count) {
    return InvalidArgument("index %d is outside of a tuple of %d: %s",
                           in.number, count, TypeText(operand));
  }
  return operand.tuple_shape(in.number);
}

Result Call(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckArguments(in, 0, in.operands));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* result, ResultOf(in, 0));
  return *result;
}

Result Map(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  const Shape& first = *in.operands[0];
  HLOKIT_ASSIGN_OR_RETURN(const Computation* callee, Callee(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* result, ResultOf(in, 0));
  int64_t count = in.operands.size();
  if (callee->parameter_count() != count) {
    return InvalidArgument("%s takes %d parameters, found %d operands",
                           callee->name(), callee->parameter_count(), count);
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = *in.operands[i];
    if (!DimensionsAgree(operand, first)) {
      return InvalidArgument("operands must have equal dimensions: %s and %s",
                             TypeText(first), TypeText(operand));
    }
    HLOKIT_ASSIGN_OR_RETURN(const Shape* parameter, ParameterOf(*callee, i));
    if (!parameter->IsScalar() ||
        !TypesAgree(parameter->element_type(), operand.element_type())) {
      return InvalidArgument(
          "parameter %d of %s must be a scalar %s, found %s", i,
          callee->name(), PrimitiveTypeName(operand.element_type()),
          TypeText(*parameter));
    }
  }
  if (!result->IsScalar()) {
    return InvalidArgument("%s must give a scalar, found %s", callee->name(),
                           TypeText(*result));
  }
  ShapeMaker mapped(result->element_type());
  for (int64_t i = 0; i < first.rank(); ++i) mapped.AddFrom(first, i);
  return mapped.Make();
}

Result Fusion(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckArguments(in, 0, in.operands));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* result, ResultOf(in, 0));
  return *result;
}

Result While(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  HLOKIT_RETURN_IF_ERROR(CheckArguments(in, 0, in.operands));
  HLOKIT_RETURN_IF_ERROR(CheckArguments(in, 1, in.operands));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* body, ResultOf(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* condition, ResultOf(in, 1));
  if (!condition->IsScalar() || condition->element_type() != kPred) {
    return InvalidArgument("the condition must give pred[], found %s",
                           TypeText(*condition));
  }
  if (!ShapesCompatible(*body, *in.operands[0])) {
    return InvalidArgument("the body gives %s, the operand is %s",
                           TypeText(*body), TypeText(*in.operands[0]));
  }
  return *in.operands[0];
}

Result Conditional(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& index = *in.operands[0];
  int64_t branches = in.called.size();
  bool is_pred = index.element_type() == kPred;
  if (index.rank() != 0 || (!is_pred && index.element_type() != kS32)) {
    return InvalidArgument("operand 0 must be pred[] or s32[], found %s",
                           TypeText(index));
  }
  if (is_pred ? branches != 2 : branches < 1) {
    return InvalidArgument("expected %s, found %d",
                           is_pred ? "two branches" : "a branch", branches);
  }
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1 + branches));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* first, ResultOf(in, 0));
  for (int64_t i = 0; i < branches; ++i) {
    HLOKIT_RETURN_IF_ERROR(
        CheckArguments(in, i, in.operands.subspan(1 + i, 1)));
    HLOKIT_ASSIGN_OR_RETURN(const Shape* result, ResultOf(in, i));
    if (ShapesCompatible(*first, *result)) continue;
    return InvalidArgument("branch 0 gives %s, branch %d %s",
                           TypeText(*first), i, TypeText(*result));
  }
  return *first;
}

Result CustomCall(const InferenceInput& in) { return Declared(in); }

}  // namespace hlokit::infer
