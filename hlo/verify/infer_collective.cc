#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

// The operands' types: the one itself, a tuple of several.
Shape OneOrTuple(absl::Span<const Shape* const> shapes) {
  if (shapes.size() == 1) return *shapes[0];
  std::vector<Shape> elements;
  elements.reserve(shapes.size());
  for (const Shape* shape : shapes) elements.push_back(*shape);
  return Shape::Tuple(std::move(elements));
}

// Part i of what `count` operands give: the whole when there is one operand.
const Shape* PartOf(const Shape& declared, int64_t count, int64_t i) {
  if (count == 1) return &declared;
  if (!declared.IsTuple() ||
      static_cast<int64_t>(declared.tuple_shapes().size()) != count) {
    return nullptr;
  }
  return &declared.tuple_shape(i);
}

// Operands with dimension `dimension` made larger (gather) or smaller. How many
// times follows from the first operand and the declared type.
class Resized {
 public:
  Resized(const InferenceInput& in, int64_t dimension, bool grows)
      : in_(in), dimension_(dimension), grows_(grows) {}

  // `declared` is the part of the result that holds the resized arrays.
  Result Infer(const Shape& declared) {
    int64_t count = in_.operands.size();
    std::vector<Shape> parts;
    for (int64_t i = 0; i < count; ++i) {
      const Shape& operand = *in_.operands[i];
      HLOKIT_RETURN_IF_ERROR(
          CheckDimension("dimensions", dimension_, operand.rank()));
      const Shape* part = PartOf(declared, count, i);
      if (part == nullptr || !part->IsArray() ||
          part->rank() != operand.rank()) {
        return InvalidArgument(
            "expected a result like the operands, declared %s",
            TypeText(declared));
      }
      if (i == 0) {
        HLOKIT_RETURN_IF_ERROR(FindFactor(operand, *part));
      }
      HLOKIT_ASSIGN_OR_RETURN(Shape resized, Resize(operand));
      parts.push_back(std::move(resized));
    }
    if (count == 1) return parts[0];
    return Shape::Tuple(std::move(parts));
  }

 private:
  absl::Status FindFactor(const Shape& operand, const Shape& part) {
    int64_t small = operand.dimension(dimension_);
    int64_t large = part.dimension(dimension_);
    if (!grows_) std::swap(small, large);
    if (small == kUnboundedSize || large == kUnboundedSize) {
      factor_ = kUnboundedSize;
      return absl::OkStatus();
    }
    if (small == large) {
      factor_ = 1;
      return absl::OkStatus();
    }
    if (small <= 0 || large < small || large % small != 0) {
      return InvalidArgument(
          "dimension %d of %s and of the result %s must be multiples",
          dimension_, TypeText(operand), TypeText(part));
    }
    factor_ = large / small;
    return absl::OkStatus();
  }

  Result Resize(const Shape& operand) {
    Shape result = operand;
    int64_t size = operand.dimension(dimension_);
    if (size == kUnboundedSize) return result;
    int64_t resized = kUnboundedSize;
    if (factor_ != kUnboundedSize) {
      if (grows_ && MultiplyOverflows(size, factor_, &resized)) {
        return InvalidArgument("the result is too large");
      }
      if (!grows_) {
        if (size % factor_ != 0) {
          return InvalidArgument("dimension %d of %s is no multiple of %d",
                                 dimension_, TypeText(operand), factor_);
        }
        resized = size / factor_;
      }
    }
    result.set_dimension(dimension_, resized);
    return result;
  }

  const InferenceInput& in_;
  int64_t dimension_;
  bool grows_;
  int64_t factor_ = 1;
};

absl::StatusOr<Resized> MakeResized(const InferenceInput& in, bool grows) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  HLOKIT_ASSIGN_OR_RETURN(int64_t dimension,
                          OneDimension(in, in.operands[0]->rank()));
  return Resized(in, dimension, grows);
}

bool IsInPlacePermute(const InferenceInput& in) {
  return in.operands.size() == 4 && in.attrs->Has(AttrId::kPermuteSliceSizes);
}

}  // namespace

Result AllGather(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Resized resized, MakeResized(in, true));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  return resized.Infer(declared);
}

Result AllGatherStart(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Resized resized, MakeResized(in, true));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  if (!declared.IsTuple() || declared.tuple_shapes().size() != 2) {
    return InvalidArgument("expected (operands, results), declared %s",
                           TypeText(declared));
  }
  HLOKIT_ASSIGN_OR_RETURN(Shape results,
                          resized.Infer(declared.tuple_shape(1)));
  return Shape::Tuple({OneOrTuple(in.operands), std::move(results)});
}

Result ReduceScatter(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Resized resized, MakeResized(in, false));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  return resized.Infer(declared);
}

Result AllReduce(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  return OneOrTuple(in.operands);
}

Result AllToAll(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  if (!in.attrs->Has(AttrId::kDimensions)) {
    for (const Shape* operand : in.operands) {
      if (ShapesCompatible(*operand, *in.operands[0])) continue;
      return InvalidArgument("operands must have equal types: %s and %s",
                             TypeText(*in.operands[0]), TypeText(*operand));
    }
    return Tuple(in);
  }
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 1));
  HLOKIT_RETURN_IF_ERROR(OneDimension(in, in.operands[0]->rank()));
  return *in.operands[0];
}

Result RaggedAllToAll(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 6));
  const Shape& input = *in.operands[0];
  const Shape& output = *in.operands[1];
  if (input.element_type() != output.element_type()) {
    return InvalidArgument("element types differ: %s and %s", TypeText(input),
                           TypeText(output));
  }
  const Shape& offsets = *in.operands[2];
  for (int64_t i = 2; i < 6; ++i) {
    const Shape& operand = *in.operands[i];
    if (IsIntegerType(operand.element_type()) && operand.rank() >= 1 &&
        operand.rank() <= 2 && ShapesCompatible(operand, offsets)) {
      continue;
    }
    return InvalidArgument(
        "operands 2 to 5 must be integers of rank 1 or 2 and of the same "
        "type, operand %d is %s",
        i, TypeText(operand));
  }
  return output;
}

Result CollectiveBroadcast(const InferenceInput& in) {
  bool dynamic_root = in.attrs->GetBool(AttrId::kHasDynamicRoot);
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, dynamic_root ? 2 : 1));
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  return OneOrTuple(
      in.operands.first(in.operands.size() - (dynamic_root ? 1 : 0)));
}

Result CollectivePermute(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  if (IsInPlacePermute(in)) return *in.operands[1];
  HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
  return OneOrTuple(in.operands);
}

Result CollectivePermuteStart(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectAtLeast(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  std::vector<Shape> parts;
  if (IsInPlacePermute(in)) {
    parts = {*in.operands[0], *in.operands[1]};
  } else {
    HLOKIT_RETURN_IF_ERROR(ExpectAllArrays(in));
    parts = {OneOrTuple(in.operands), OneOrTuple(in.operands)};
  }
  // Contexts of the platform follow.
  for (size_t i = 2; i < declared.tuple_shapes().size(); ++i) {
    parts.push_back(declared.tuple_shape(i));
  }
  return Shape::Tuple(std::move(parts));
}

Result DeviceId(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 0));
  return Shape::Scalar(kU32);
}

}  // namespace hlokit::infer
