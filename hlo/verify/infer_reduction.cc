#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

// Operands are k arrays of equal dimensions and k initial values; the called
// computation reduces them. Gives k.
absl::StatusOr<int64_t> CheckVariadicReduction(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  int64_t count = in.operands.size() / 2;
  if (count == 0 || in.operands.size() % 2 != 0) {
    return InvalidArgument(
        "expected arrays and as many initial values, found %d operands",
        static_cast<int64_t>(in.operands.size()));
  }
  for (int64_t i = 1; i < count; ++i) {
    if (!DimensionsAgree(*in.operands[0], *in.operands[i])) {
      return InvalidArgument("operands must have equal dimensions: %s and %s",
                             TypeText(*in.operands[0]),
                             TypeText(*in.operands[i]));
    }
  }
  HLOKIT_RETURN_IF_ERROR(CheckReducer(in, 0, in.operands.first(count),
                                      in.operands.subspan(count)));
  return count;
}

// `array` with the element types that the reducer gives; a tuple if it gives
// one.
Shape LikeReducer(const Shape& array, const Shape& reducer_result) {
  if (!reducer_result.IsTuple()) {
    return WithElementType(array, reducer_result.element_type());
  }
  std::vector<Shape> elements;
  for (const Shape& value : reducer_result.tuple_shapes()) {
    elements.push_back(WithElementType(array, value.element_type()));
  }
  return Shape::Tuple(std::move(elements));
}

const Window& WindowOf(const InferenceInput& in) {
  static const Window& none = *new Window;
  const Window* window = in.attrs->Get<Window>(AttrId::kWindow);
  return window == nullptr ? none : *window;
}

}  // namespace

Result Reduce(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckVariadicReduction(in));
  const Shape& operand = *in.operands[0];
  absl::Span<const int64_t> list = in.attrs->GetList(AttrId::kDimensions);
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("dimensions", list, operand.rank()));
  absl::InlinedVector<bool, 16> gone(operand.rank(), false);
  for (int64_t d : list) gone[d] = true;
  ShapeMaker kept(operand.element_type());
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (!gone[i]) kept.AddFrom(operand, i);
  }
  HLOKIT_ASSIGN_OR_RETURN(const Shape* reducer, ResultOf(in, 0));
  return LikeReducer(kept.Make(), *reducer);
}

Result ReduceWindow(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckVariadicReduction(in));
  const Shape& operand = *in.operands[0];
  HLOKIT_ASSIGN_OR_RETURN(
      Shape windowed,
      InferWindowOutputShape(operand, WindowOf(in), operand.element_type()));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* reducer, ResultOf(in, 0));
  return LikeReducer(windowed, *reducer);
}

Result SelectAndScatter(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 3));
  const Shape& operand = *in.operands[0];
  const Shape& source = *in.operands[1];
  const Shape& init = *in.operands[2];
  HLOKIT_ASSIGN_OR_RETURN(const Computation* select, Callee(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* selected, ResultOf(in, 0));
  if (select->parameter_count() != 2) {
    return InvalidArgument("%s must take 2 parameters, found %d",
                           select->name(), select->parameter_count());
  }
  if (!selected->IsScalar() || selected->element_type() != kPred) {
    return InvalidArgument("%s must give pred[], found %s", select->name(),
                           TypeText(*selected));
  }
  for (int64_t i = 0; i < 2; ++i) {
    HLOKIT_ASSIGN_OR_RETURN(const Shape* parameter, ParameterOf(*select, i));
    if (parameter->IsScalar() &&
        TypesAgree(parameter->element_type(), operand.element_type())) {
      continue;
    }
    return InvalidArgument("parameter %d of %s must be a scalar %s, found %s",
                           i, select->name(),
                           PrimitiveTypeName(operand.element_type()),
                           TypeText(*parameter));
  }
  const Shape* source_pointer = &source;
  const Shape* init_pointer = &init;
  HLOKIT_RETURN_IF_ERROR(CheckReducer(in, 1,
                                      absl::MakeConstSpan(&source_pointer, 1),
                                      absl::MakeConstSpan(&init_pointer, 1)));
  HLOKIT_ASSIGN_OR_RETURN(
      Shape windowed,
      InferWindowOutputShape(operand, WindowOf(in), operand.element_type()));
  if (!ShapesAgree(windowed, source)) {
    return InvalidArgument(
        "the source must have the type of the windows (%s), found %s",
        TypeText(windowed), TypeText(source));
  }
  return operand;
}

Result Sort(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  const Shape& keys = *in.operands[0];
  // Without a dimensions attribute: dimension 0 of vectors, as protos of old
  // may say.
  HLOKIT_RETURN_IF_ERROR(OneDimension(in, keys.rank()));
  for (const Shape* operand : in.operands) {
    if (!DimensionsAgree(*operand, keys)) {
      return InvalidArgument("operands must have equal dimensions: %s and %s",
                             TypeText(keys), TypeText(*operand));
    }
  }
  if (in.operands.size() == 1) return keys;
  std::vector<Shape> results;
  for (const Shape* operand : in.operands) results.push_back(*operand);
  return Shape::Tuple(std::move(results));
}

Result TopK(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  if (operand.rank() == 0) {
    return InvalidArgument("the operand must have dimensions, found %s",
                           TypeText(operand));
  }
  int64_t k = in.attrs->GetInt(AttrId::kK);
  int64_t last = operand.rank() - 1;
  int64_t size = operand.dimension(last);
  if (k < 0 || (size != kUnboundedSize && k > size)) {
    return InvalidArgument("k is %d, the last dimension of %s has not so many",
                           k, TypeText(operand));
  }
  ShapeMaker result(operand.element_type());
  for (int64_t i = 0; i < last; ++i) result.AddFrom(operand, i);
  result.Add(k);
  Shape values = result.Make();
  return Shape::Tuple({values, WithElementType(values, kS32)});
}

// As XLA does, the body is not held against the operands here; CheckScan() of
// the verifier does that.
Result Scan(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  HLOKIT_ASSIGN_OR_RETURN(const Computation* body, Callee(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* root, ResultOf(in, 0));
  int64_t count = in.operands.size();
  int64_t carries = in.attrs->GetInt(AttrId::kNumCarries);
  int64_t results = root->IsTuple() ? root->tuple_shapes().size() : 1;
  if (carries < 0 || carries >= count || carries > results) {
    return InvalidArgument(
        "num_carries is %d with %d operands and %d results of %s", carries,
        count, results, body->name());
  }
  if (body->parameter_count() != count) {
    return InvalidArgument("%s must take %d parameters, found %d",
                           body->name(), count, body->parameter_count());
  }
  HLOKIT_ASSIGN_OR_RETURN(int64_t dimension,
                          OneDimension(in, in.operands[0]->rank()));
  std::vector<Shape> elements;
  for (int64_t i = 0; i < results; ++i) {
    const Shape& value = root->IsTuple() ? root->tuple_shape(i) : *root;
    if (!value.IsArray()) {
      return InvalidArgument("%s must give arrays, found %s", body->name(),
                             TypeText(*root));
    }
    if (i >= results - carries) {
      elements.push_back(value);
      continue;
    }
    if (dimension > value.rank()) {
      return InvalidArgument("dimension %d cannot be added to result %s",
                             dimension, TypeText(value));
    }
    ShapeMaker stacked(value.element_type());
    for (int64_t d = 0; d <= value.rank(); ++d) {
      if (d == dimension) stacked.AddFrom(*in.operands[0], dimension);
      if (d < value.rank()) stacked.AddFrom(value, d);
    }
    elements.push_back(stacked.Make());
  }
  if (!root->IsTuple()) return elements[0];
  return Shape::Tuple(std::move(elements));
}

}  // namespace hlokit::infer
