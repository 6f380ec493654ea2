#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/status.h"
#include "hlo/ir/padding.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

// Without a declared type the list is what the text format makes of it: sizes
// of new dimensions in front of the operand's.
Result BroadcastInFront(const Shape& operand,
                        absl::Span<const int64_t> sizes) {
  ShapeMaker result(operand.element_type());
  for (int64_t size : sizes) {
    if (size < 0) return InvalidArgument("dimensions: negative size %d", size);
    result.Add(size);
  }
  for (int64_t i = 0; i < operand.rank(); ++i) result.AddFrom(operand, i);
  return result.Make();
}

absl::Status ExpectDeclaredArray(const Shape& declared) {
  if (declared.IsArray()) return absl::OkStatus();
  return InvalidArgument("the result must be an array, declared %s",
                         TypeText(declared));
}

absl::Status ExpectSameElementType(const Shape& operand,
                                   const Shape& declared) {
  if (operand.element_type() == declared.element_type()) {
    return absl::OkStatus();
  }
  return InvalidArgument("the element type cannot change: from %s to %s",
                         TypeText(operand), TypeText(declared));
}

absl::Status CheckSameCount(const Shape& operand, const Shape& declared) {
  if (operand.has_unbounded_dimension() ||
      declared.has_unbounded_dimension()) {
    return absl::OkStatus();
  }
  int64_t before = ElementsIn(operand), after = ElementsIn(declared);
  if (before == after) return absl::OkStatus();
  return InvalidArgument(
      "the operand has %d elements, the result %d: %s to %s", before, after,
      TypeText(operand), TypeText(declared));
}

}  // namespace

Result Broadcast(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  absl::Span<const int64_t> list = in.attrs->GetList(AttrId::kDimensions);
  if (in.explicit_shape == nullptr) return BroadcastInFront(operand, list);
  const Shape& declared = *in.explicit_shape;
  HLOKIT_RETURN_IF_ERROR(ExpectDeclaredArray(declared));
  HLOKIT_RETURN_IF_ERROR(ExpectSameElementType(operand, declared));
  if (static_cast<int64_t>(list.size()) != operand.rank()) {
    return InvalidArgument(
        "dimensions must have one entry for each dimension of %s, found %d",
        TypeText(operand), static_cast<int64_t>(list.size()));
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("dimensions", list, declared.rank()));
  for (size_t i = 0; i < list.size(); ++i) {
    if (SizesAgree(operand.dimension(i), declared.dimension(list[i]))) {
      continue;
    }
    return InvalidArgument(
        "dimension %d of %s must have the size of dimension %d of %s",
        list[i], TypeText(declared), static_cast<int64_t>(i),
        TypeText(operand));
  }
  return declared;
}

Result Reshape(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  const Shape& operand = *in.operands[0];
  HLOKIT_RETURN_IF_ERROR(ExpectDeclaredArray(declared));
  HLOKIT_RETURN_IF_ERROR(ExpectSameElementType(operand, declared));
  HLOKIT_RETURN_IF_ERROR(CheckSameCount(operand, declared));
  int64_t inferred = in.attrs->GetInt(AttrId::kInferredDimension, -1);
  if (inferred != -1) {
    HLOKIT_RETURN_IF_ERROR(
        CheckDimension("inferred_dimension", inferred, declared.rank()));
  }
  return declared;
}

Result DynamicReshape(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArray(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  HLOKIT_RETURN_IF_ERROR(ExpectDeclaredArray(declared));
  HLOKIT_RETURN_IF_ERROR(ExpectSameElementType(*in.operands[0], declared));
  HLOKIT_RETURN_IF_ERROR(CheckSameCount(*in.operands[0], declared));
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1 + declared.rank()));
  for (int64_t i = 0; i < declared.rank(); ++i) {
    const Shape& size = *in.operands[1 + i];
    if (size.IsScalar() && size.element_type() == kS32) continue;
    return InvalidArgument("sizes must be s32[], operand %d is %s", 1 + i,
                           TypeText(size));
  }
  return declared;
}

Result Bitcast(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  return Declared(in);
}

Result Transpose(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  absl::Span<const int64_t> list = in.attrs->GetList(AttrId::kDimensions);
  if (static_cast<int64_t>(list.size()) != operand.rank()) {
    return InvalidArgument(
        "dimensions must be a permutation of the %d dimensions of %s, found "
        "%d entries",
        operand.rank(), TypeText(operand), static_cast<int64_t>(list.size()));
  }
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("dimensions", list, operand.rank()));
  ShapeMaker result(operand.element_type());
  for (int64_t dimension : list) result.AddFrom(operand, dimension);
  return result.Make();
}

Result Reverse(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  HLOKIT_RETURN_IF_ERROR(
      CheckDimensionList("dimensions",
                         in.attrs->GetList(AttrId::kDimensions),
                         operand.rank()));
  return operand;
}

Result Concatenate(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  const Shape& first = *in.operands[0];
  HLOKIT_ASSIGN_OR_RETURN(int64_t along, OneDimension(in, first.rank()));
  PrimitiveType type = first.element_type();
  DimensionVector sizes(first.dimensions().begin(), first.dimensions().end());
  absl::InlinedVector<bool, 8> dynamic(sizes.size());
  for (size_t o = 0; o < in.operands.size(); ++o) {
    const Shape& operand = *in.operands[o];
    if (!TypesAgree(type, operand.element_type())) {
      return InvalidArgument("element types differ: %s and %s",
                             TypeText(first), TypeText(operand));
    }
    if (type != operand.element_type()) {
      type = HigherPrecision(type, operand.element_type());
    }
    if (operand.rank() != first.rank()) {
      return InvalidArgument("ranks differ: %s and %s", TypeText(first),
                             TypeText(operand));
    }
    for (int64_t i = 0; i < first.rank(); ++i) {
      int64_t size = operand.dimension(i);
      if (operand.is_dynamic_dimension(i)) dynamic[i] = true;
      if (i != along) {
        if (!SizesAgree(sizes[i], size)) {
          return InvalidArgument(
              "dimension %d may not differ between operands: %s and %s", i,
              TypeText(first), TypeText(operand));
        }
        if (sizes[i] == kUnboundedSize) sizes[i] = size;
      } else if (o > 0) {
        if (sizes[i] == kUnboundedSize || size == kUnboundedSize) {
          sizes[i] = kUnboundedSize;
        } else if (AddOverflows(sizes[i], size, &sizes[i])) {
          return InvalidArgument("the result is too large");
        }
      }
    }
  }
  ShapeMaker result(type);
  for (size_t i = 0; i < sizes.size(); ++i) result.Add(sizes[i], dynamic[i]);
  return result.Make();
}

Result Slice(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  const SliceRanges* stored = in.attrs->Get<SliceRanges>(AttrId::kSlice);
  static const SliceRanges& none = *new SliceRanges;
  const SliceRanges& ranges = stored ? *stored : none;
  if (static_cast<int64_t>(ranges.size()) != operand.rank()) {
    return InvalidArgument(
        "slice must have one range for each dimension of %s, found %d",
        TypeText(operand), static_cast<int64_t>(ranges.size()));
  }
  ShapeMaker result(operand.element_type());
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const SliceRange& r = ranges[i];
    int64_t size = operand.dimension(i);
    bool outside = size != kUnboundedSize && r.limit > size;
    if (r.start < 0 || r.limit < r.start || outside) {
      return InvalidArgument("range [%d:%d] does not fit dimension %d of %s",
                             r.start, r.limit, i, TypeText(operand));
    }
    if (r.stride <= 0) {
      return InvalidArgument("stride %d of dimension %d must be positive",
                             r.stride, i);
    }
    int64_t length = r.limit - r.start;
    result.Add(length / r.stride + (length % r.stride != 0),
               operand.is_dynamic_dimension(i) && size != kUnboundedSize);
  }
  return result.Make();
}

Result Pad(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& operand = *in.operands[0];
  const Shape& value = *in.operands[1];
  if (value.rank() != 0) {
    return InvalidArgument("the padding value must be a scalar, found %s",
                           TypeText(value));
  }
  if (!TypesAgree(operand.element_type(), value.element_type())) {
    return InvalidArgument("element types differ: %s and %s",
                           TypeText(operand), TypeText(value));
  }
  const PaddingConfig* stored =
      in.attrs->Get<PaddingConfig>(AttrId::kPadding);
  int64_t count = stored ? stored->dimensions.size() : 0;
  if (count != operand.rank()) {
    return InvalidArgument(
        "padding must have one entry for each dimension of %s, found %d",
        TypeText(operand), count);
  }
  ShapeMaker result(
      HigherPrecision(operand.element_type(), value.element_type()));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const PaddingDimension& p = stored->dimensions[i];
    if (p.interior < 0) {
      return InvalidArgument("interior padding %d of dimension %d is negative",
                             p.interior, i);
    }
    int64_t size = operand.dimension(i);
    if (size == kUnboundedSize) {
      result.Add(kUnboundedSize);
      continue;
    }
    const std::optional<int64_t> sum = PaddedSize(p, size);
    if (!sum.has_value()) return InvalidArgument("the result is too large");
    if (*sum < 0) {
      return InvalidArgument("padding makes dimension %d of %s negative: %d",
                             i, TypeText(operand), *sum);
    }
    result.Add(*sum, operand.is_dynamic_dimension(i));
  }
  return result.Make();
}

Result Iota(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 0));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  HLOKIT_RETURN_IF_ERROR(ExpectDeclaredArray(declared));
  if (declared.rank() == 0) {
    return InvalidArgument("the result must have dimensions, declared %s",
                           TypeText(declared));
  }
  PrimitiveType type = declared.element_type();
  if (!IsIntegerType(type) && !IsFloatType(type) && !IsComplexType(type)) {
    return InvalidArgument("iota does not give elements of type %s",
                           PrimitiveTypeName(type));
  }
  HLOKIT_RETURN_IF_ERROR(CheckDimension(
      "iota_dimension", in.attrs->GetInt(AttrId::kIotaDimension),
      declared.rank()));
  return declared;
}

Result GetDimensionSize(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_RETURN_IF_ERROR(OneDimension(in, in.operands[0]->rank()));
  return Shape::Scalar(kS32);
}

Result SetDimensionSize(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& operand = *in.operands[0];
  const Shape& size = *in.operands[1];
  HLOKIT_ASSIGN_OR_RETURN(int64_t dimension, OneDimension(in, operand.rank()));
  if (!size.IsScalar() || size.element_type() != kS32) {
    return InvalidArgument("the size must be s32[], found %s", TypeText(size));
  }
  Shape result = operand;
  if (!result.is_dynamic_dimension(dimension)) {
    result.set_dynamic_dimension(dimension, true);
  }
  return result;
}

}  // namespace hlokit::infer
