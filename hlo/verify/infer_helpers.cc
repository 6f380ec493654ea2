#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {

std::string TypeText(const Shape& shape) {
  constexpr size_t kLongest = 200;
  std::string text = shape.ToString(/*layout=*/false);
  if (text.size() > kLongest) {
    text.resize(kLongest);
    text += "...";
  }
  return text;
}

absl::Status ExpectOperands(const InferenceInput& in, int64_t count) {
  int64_t found = in.operands.size();
  if (found == count) return absl::OkStatus();
  return InvalidArgument("expected %d operand%s, found %d", count,
                         count == 1 ? "" : "s", found);
}

absl::Status ExpectAtLeast(const InferenceInput& in, int64_t count) {
  int64_t found = in.operands.size();
  if (found >= count) return absl::OkStatus();
  return InvalidArgument("expected at least %d operand%s, found %d", count,
                         count == 1 ? "" : "s", found);
}

absl::Status ExpectArray(const InferenceInput& in, int64_t i) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, i + 1));
  if (in.operands[i]->IsArray()) return absl::OkStatus();
  return InvalidArgument("expected an array as operand %d, found %s", i,
                         TypeText(*in.operands[i]));
}

absl::Status ExpectAllArrays(const InferenceInput& in) {
  for (size_t i = 0; i < in.operands.size(); ++i) {
    HLOKIT_RETURN_IF_ERROR(ExpectArray(in, i));
  }
  return absl::OkStatus();
}

absl::Status ExpectArrays(const InferenceInput& in, int64_t count) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, count));
  return ExpectAllArrays(in);
}

absl::Status ExpectIntegerScalar(const InferenceInput& in, int64_t i) {
  HLOKIT_RETURN_IF_ERROR(ExpectArray(in, i));
  const Shape& shape = *in.operands[i];
  if (shape.rank() == 0 && IsIntegerType(shape.element_type())) {
    return absl::OkStatus();
  }
  return InvalidArgument("expected an integer scalar as operand %d, found %s",
                         i, TypeText(shape));
}

absl::Status CheckDimension(absl::string_view name, int64_t dimension,
                            int64_t rank) {
  if (dimension >= 0 && dimension < rank) return absl::OkStatus();
  return InvalidArgument("%s: dimension %d is outside of a rank of %d", name,
                         dimension, rank);
}

absl::Status CheckDimensionList(absl::string_view name,
                                absl::Span<const int64_t> list, int64_t rank,
                                bool sorted) {
  if (static_cast<int64_t>(list.size()) > rank) {
    return InvalidArgument("%s: %d entries for a rank of %d", name,
                           static_cast<int64_t>(list.size()), rank);
  }
  absl::InlinedVector<bool, 16> seen(rank, false);
  int64_t last = -1;
  for (int64_t dimension : list) {
    HLOKIT_RETURN_IF_ERROR(CheckDimension(name, dimension, rank));
    if (seen[dimension]) {
      return InvalidArgument("%s: dimension %d is repeated", name, dimension);
    }
    seen[dimension] = true;
    if (sorted && dimension < last) {
      return InvalidArgument("%s: must ascend, found {%s}", name,
                             absl::StrJoin(list, ","));
    }
    last = dimension;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OneDimension(const InferenceInput& in, int64_t rank) {
  absl::Span<const int64_t> list = in.attrs->GetList(AttrId::kDimensions);
  if (list.size() != 1) {
    return InvalidArgument("dimensions: expected exactly one, found %d",
                           static_cast<int64_t>(list.size()));
  }
  HLOKIT_RETURN_IF_ERROR(CheckDimension("dimensions", list[0], rank));
  return list[0];
}

bool DimensionsAgree(const Shape& a, const Shape& b) {
  absl::Span<const int64_t> x = a.dimensions(), y = b.dimensions();
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!SizesAgree(x[i], y[i])) return false;
  }
  return true;
}

bool ShapesAgree(const Shape& a, const Shape& b) {
  if (a.IsArray() && b.IsArray()) {
    return TypesAgree(a.element_type(), b.element_type()) &&
           DimensionsAgree(a, b);
  }
  if (a.element_type() != b.element_type()) return false;
  absl::Span<const Shape> x = a.tuple_shapes(), y = b.tuple_shapes();
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!ShapesAgree(x[i], y[i])) return false;
  }
  return true;
}

// XLA packs types of 1, 2 and 4 bits; with them a derived type keeps the E(...)
// of its layout, and with others (pred and types of 6 bits too) it does not.
static bool KeepsElementSize(PrimitiveType type) {
  return type != kPred && BitWidth(type) > 0 && BitWidth(type) <= 4;
}

Shape WithElementType(const Shape& shape, PrimitiveType type) {
  const bool drops_size = shape.has_layout() &&
                          shape.layout().element_size_in_bits != 0 &&
                          !KeepsElementSize(type);
  if (shape.element_type() == type && !drops_size) return shape;
  Shape result = shape;
  result.set_element_type(type);
  if (drops_size) {
    Layout layout = result.layout();
    layout.element_size_in_bits = 0;
    result.set_layout(std::move(layout));
  }
  return result;
}

Shape ShapeMaker::Make() const {
  Shape result = Shape::ArrayWithDescendingLayout(type_, sizes_);
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (dynamic_[i] && sizes_[i] != kUnboundedSize) {
      result.set_dynamic_dimension(i, true);
    }
  }
  return result;
}

absl::StatusOr<const Computation*> Callee(const InferenceInput& in,
                                          int64_t i) {
  if (i >= static_cast<int64_t>(in.called.size()) || in.called[i] == nullptr) {
    return InvalidArgument("called computation %d is missing", i);
  }
  return in.called[i];
}

absl::StatusOr<const Shape*> ResultOf(const InferenceInput& in, int64_t i) {
  HLOKIT_ASSIGN_OR_RETURN(const Computation* callee, Callee(in, i));
  if (callee->root() == nullptr) {
    return InvalidArgument("computation %s has no root", callee->name());
  }
  return &callee->root()->shape();
}

absl::StatusOr<const Shape*> ParameterOf(const Computation& computation,
                                         int64_t number) {
  if (number >= computation.parameter_count() ||
      computation.parameter(number) == nullptr) {
    return InvalidArgument("computation %s has no parameter %d",
                           computation.name(), number);
  }
  return &computation.parameter(number)->shape();
}

Result Declared(const InferenceInput& in) {
  if (in.explicit_shape != nullptr) return *in.explicit_shape;
  return Unimplemented("the type of %s must be declared",
                       OpcodeName(in.opcode));
}

namespace {

// Parameter `number` of the reducer is a scalar that agrees with `like`.
absl::Status CheckReducerParameter(const Computation& reducer, int64_t number,
                                   const Shape& like,
                                   absl::string_view what) {
  HLOKIT_ASSIGN_OR_RETURN(const Shape* shape, ParameterOf(reducer, number));
  if (shape->IsScalar() &&
      TypesAgree(shape->element_type(), like.element_type())) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "parameter %d of %s must be a scalar %s as the %s, found %s", number,
      reducer.name(), PrimitiveTypeName(like.element_type()), what,
      TypeText(*shape));
}

}  // namespace

absl::Status CheckReducer(const InferenceInput& in, int64_t callee,
                          absl::Span<const Shape* const> elements,
                          absl::Span<const Shape* const> inits) {
  HLOKIT_ASSIGN_OR_RETURN(const Computation* reducer, Callee(in, callee));
  HLOKIT_ASSIGN_OR_RETURN(const Shape* result, ResultOf(in, callee));
  int64_t count = elements.size();
  if (reducer->parameter_count() != 2 * count) {
    return InvalidArgument("%s must take %d parameters, found %d",
                           reducer->name(), 2 * count,
                           reducer->parameter_count());
  }
  int64_t results = result->IsTuple() ? result->tuple_shapes().size() : 1;
  if (results != count) {
    return InvalidArgument("%s must give %d value%s, found %s",
                           reducer->name(), count, count == 1 ? "" : "s",
                           TypeText(*result));
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& value = result->IsTuple() ? result->tuple_shape(i) : *result;
    if (!value.IsScalar()) {
      return InvalidArgument("%s must give scalars, found %s",
                             reducer->name(), TypeText(*result));
    }
    HLOKIT_RETURN_IF_ERROR(CheckReducerParameter(*reducer, i, value, "result"));
    HLOKIT_RETURN_IF_ERROR(CheckReducerParameter(*reducer, count + i,
                                                 *elements[i], "operand"));
    if (!inits[i]->IsScalar() ||
        !TypesAgree(inits[i]->element_type(), value.element_type())) {
      return InvalidArgument(
          "initial value %d must be a scalar of the type that %s gives (%s), "
          "found %s",
          i, reducer->name(), TypeText(value), TypeText(*inits[i]));
    }
  }
  return absl::OkStatus();
}

}  // namespace hlokit::infer
