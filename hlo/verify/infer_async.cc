#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

absl::Status ExpectToken(const Shape& shape, absl::string_view what) {
  if (shape.IsToken()) return absl::OkStatus();
  return InvalidArgument("expected a token as %s, found %s", what,
                         TypeText(shape));
}

// The one operand is a tuple of at least `count`.
absl::StatusOr<absl::Span<const Shape>> ElementsOf(const InferenceInput& in,
                                                   size_t count) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  const Shape& operand = *in.operands[0];
  if (operand.IsTuple() && operand.tuple_shapes().size() >= count) {
    return operand.tuple_shapes();
  }
  return InvalidArgument("expected a tuple of at least %d, found %s",
                         static_cast<int64_t>(count), TypeText(operand));
}

absl::Status ExpectForm(bool fits, absl::string_view form,
                        const Shape& declared) {
  if (fits) return absl::OkStatus();
  return InvalidArgument("expected %s, declared %s", form, TypeText(declared));
}

}  // namespace

Result CopyStart(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  const Shape& operand = *in.operands[0];
  return Shape::Tuple({operand, operand, Shape::Scalar(kU32)});
}

Result AsyncStart(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  HLOKIT_RETURN_IF_ERROR(ExpectForm(declared.IsTuple() &&
                                        declared.tuple_shapes().size() >= 2 &&
                                        declared.tuple_shape(0).IsTuple(),
                                    "((operands), results, ...)", declared));
  return declared;
}

Result AsyncUpdate(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  // More operands may be bound here, so the type can differ from the start's.
  if (in.explicit_shape != nullptr) return *in.explicit_shape;
  return *in.operands[0];
}

Result FirstElement(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(absl::Span<const Shape> elements, ElementsOf(in, 1));
  return elements[0];
}

Result SecondElement(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(absl::Span<const Shape> elements, ElementsOf(in, 2));
  return elements[1];
}

Result Send(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 2));
  HLOKIT_RETURN_IF_ERROR(ExpectToken(*in.operands[1], "operand 1"));
  return Shape::Tuple({*in.operands[0], Shape::Scalar(kU32), Shape::Token()});
}

Result SendDone(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  return Shape::Token();
}

Result Recv(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectToken(*in.operands[0], "operand 0"));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  HLOKIT_RETURN_IF_ERROR(ExpectForm(
      declared.IsTuple() && declared.tuple_shapes().size() == 3,
      "(data, u32[], token[])", declared));
  return Shape::Tuple(
      {declared.tuple_shape(0), Shape::Scalar(kU32), Shape::Token()});
}

Result RecvDone(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(absl::Span<const Shape> elements, ElementsOf(in, 1));
  return Shape::Tuple({elements[0], Shape::Token()});
}

Result Infeed(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectToken(*in.operands[0], "operand 0"));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  HLOKIT_RETURN_IF_ERROR(
      ExpectForm(declared.IsTuple() && declared.tuple_shapes().size() == 2,
                 "(data, token[])", declared));
  return Shape::Tuple({declared.tuple_shape(0), Shape::Token()});
}

Result Outfeed(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 2));
  HLOKIT_RETURN_IF_ERROR(ExpectToken(*in.operands[1], "operand 1"));
  const Shape* stored = in.attrs->Get<Shape>(AttrId::kOutfeedShape);
  if (stored != nullptr && !ShapesCompatible(*stored, *in.operands[0])) {
    return InvalidArgument("outfeed_shape is %s, the operand %s",
                           TypeText(*stored), TypeText(*in.operands[0]));
  }
  return Shape::Token();
}

}  // namespace hlokit::infer
