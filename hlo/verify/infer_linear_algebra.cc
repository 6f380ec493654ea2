#include <cstdint>

#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

absl::Status ExpectFloatOrComplex(const Shape& shape) {
  if (IsFloatType(shape.element_type()) ||
      IsComplexType(shape.element_type())) {
    return absl::OkStatus();
  }
  return InvalidArgument("expected floating-point or complex elements, found "
                         "%s",
                         TypeText(shape));
}

// The last two dimensions are equal.
absl::Status ExpectSquare(const Shape& shape) {
  int64_t rank = shape.rank();
  if (rank >= 2 &&
      SizesAgree(shape.dimension(rank - 2), shape.dimension(rank - 1))) {
    return absl::OkStatus();
  }
  return InvalidArgument("expected square matrices, found %s",
                         TypeText(shape));
}

absl::Status CheckFftLength(const Shape& operand,
                            absl::Span<const int64_t> length, FftType type) {
  int64_t count = length.size();
  if (count < 1 || count > 3 || operand.rank() < count) {
    return InvalidArgument(
        "fft_length must have 1 to 3 entries and no more than %s has "
        "dimensions, found %d",
        TypeText(operand), count);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (length[i] < 0) {
      return InvalidArgument("fft_length: negative size %d", length[i]);
    }
    bool half = type == FftType::kIrfft && i == count - 1 && length[i] != 0;
    int64_t wanted = half ? length[i] / 2 + 1 : length[i];
    int64_t d = operand.rank() - count + i;
    if (!SizesAgree(operand.dimension(d), wanted)) {
      return InvalidArgument("fft_length wants %d elements in dimension %d, "
                             "found %s",
                             wanted, d, TypeText(operand));
    }
  }
  return absl::OkStatus();
}

// feature_index is valid; operands first..last are vectors with one element a
// feature.
absl::Status CheckFeatureVectors(const InferenceInput& in, int64_t first,
                                 int64_t last) {
  const Shape& operand = *in.operands[0];
  int64_t index = in.attrs->GetInt(AttrId::kFeatureIndex);
  HLOKIT_RETURN_IF_ERROR(
      CheckDimension("feature_index", index, operand.rank()));
  if (!IsFloatType(operand.element_type())) {
    return InvalidArgument("operand 0 must be floating-point, found %s",
                           TypeText(operand));
  }
  for (int64_t i = first; i <= last; ++i) {
    const Shape& vector = *in.operands[i];
    if (vector.rank() == 1 && IsFloatType(vector.element_type()) &&
        SizesAgree(vector.dimension(0), operand.dimension(index))) {
      continue;
    }
    return InvalidArgument(
        "operand %d must be a vector with one element for each of the %d "
        "features, found %s",
        i, operand.dimension(index), TypeText(vector));
  }
  return absl::OkStatus();
}

// (operand, f[features], f[features])
Shape WithFeaturePair(const InferenceInput& in) {
  const Shape& operand = *in.operands[0];
  ShapeMaker maker(operand.element_type());
  maker.AddFrom(operand, in.attrs->GetInt(AttrId::kFeatureIndex));
  Shape features = maker.Make();
  return Shape::Tuple({operand, features, features});
}

}  // namespace

Result Fft(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  const Shape& operand = *in.operands[0];
  FftType type =
      static_cast<FftType>(in.attrs->GetInt(AttrId::kFftType));
  absl::Span<const int64_t> length = in.attrs->GetList(AttrId::kFftLength);
  bool wants_complex = type != FftType::kRfft;
  PrimitiveType element = operand.element_type();
  bool fits = wants_complex ? IsComplexType(element)
                            : ComplexTypeOf(element) != kInvalid;
  if (!fits) {
    return InvalidArgument("expected %s elements, found %s",
                           wants_complex ? "complex" : "f32 or f64",
                           TypeText(operand));
  }
  HLOKIT_RETURN_IF_ERROR(CheckFftLength(operand, length, type));
  int64_t last = operand.rank() - 1;
  if (type == FftType::kRfft) {
    Shape result = WithElementType(operand, ComplexTypeOf(element));
    if (length.back() != 0) {
      result.set_dimension(last, length.back() / 2 + 1);
    }
    return result;
  }
  if (type == FftType::kIrfft) {
    Shape result = WithElementType(operand, ComponentType(element));
    result.set_dimension(last, length.back());
    return result;
  }
  if (type != FftType::kFft && type != FftType::kIfft) {
    return InvalidArgument("fft_type: unknown value %d",
                           static_cast<int64_t>(type));
  }
  return operand;
}

Result Cholesky(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_RETURN_IF_ERROR(ExpectFloatOrComplex(*in.operands[0]));
  HLOKIT_RETURN_IF_ERROR(ExpectSquare(*in.operands[0]));
  return *in.operands[0];
}

Result TriangularSolve(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& a = *in.operands[0];
  const Shape& b = *in.operands[1];
  HLOKIT_RETURN_IF_ERROR(ExpectFloatOrComplex(a));
  if (!TypesAgree(a.element_type(), b.element_type())) {
    return InvalidArgument("element types differ: %s and %s", TypeText(a),
                           TypeText(b));
  }
  HLOKIT_RETURN_IF_ERROR(ExpectSquare(a));
  if (a.rank() != b.rank()) {
    return InvalidArgument("ranks differ: %s and %s", TypeText(a),
                           TypeText(b));
  }
  int64_t rank = a.rank();
  for (int64_t i = 0; i < rank - 2; ++i) {
    if (!SizesAgree(a.dimension(i), b.dimension(i))) {
      return InvalidArgument("batch dimension %d differs: %s and %s", i,
                             TypeText(a), TypeText(b));
    }
  }
  auto transpose =
      static_cast<TransposeA>(in.attrs->GetInt(AttrId::kTransposeA));
  if (transpose != TransposeA::kNoTranspose &&
      transpose != TransposeA::kTranspose &&
      transpose != TransposeA::kAdjoint) {
    return InvalidArgument("transpose_a must be NO_TRANSPOSE, TRANSPOSE or "
                           "ADJOINT");
  }
  bool left = in.attrs->GetBool(AttrId::kLeftSide);
  if (!SizesAgree(a.dimension(rank - 1),
                  b.dimension(left ? rank - 2 : rank - 1))) {
    return InvalidArgument("%s cannot be solved for %s on the %s side",
                           TypeText(a), TypeText(b), left ? "left" : "right");
  }
  return b;
}

Result BatchNormTraining(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 3));
  HLOKIT_RETURN_IF_ERROR(CheckFeatureVectors(in, 1, 2));
  return WithFeaturePair(in);
}

Result BatchNormInference(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 5));
  HLOKIT_RETURN_IF_ERROR(CheckFeatureVectors(in, 1, 4));
  return *in.operands[0];
}

Result BatchNormGrad(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 5));
  HLOKIT_RETURN_IF_ERROR(CheckFeatureVectors(in, 1, 3));
  if (!ShapesAgree(*in.operands[0], *in.operands[4])) {
    return InvalidArgument("operand 4 must have the type of operand 0: %s and "
                           "%s",
                           TypeText(*in.operands[4]),
                           TypeText(*in.operands[0]));
  }
  return WithFeaturePair(in);
}

Result Rng(const InferenceInput& in) {
  // Old texts have the dimensions as a third operand, of any type; XLA too
  // compiles them.
  const bool with_dimensions =
      in.operands.size() == 3 && in.operands[2]->rank() == 1;
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, with_dimensions ? 3 : 2));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  auto distribution = static_cast<RandomDistribution>(
      in.attrs->GetInt(AttrId::kDistribution));
  for (int i = 0; i < 2; ++i) {
    const Shape* operand = in.operands[i];
    if (operand->rank() == 0 &&
        TypesAgree(operand->element_type(), declared.element_type())) {
      continue;
    }
    return InvalidArgument("operands must be scalars of the result's type "
                           "%s, found %s",
                           TypeText(declared), TypeText(*operand));
  }
  PrimitiveType type = declared.element_type();
  bool fits = distribution == RandomDistribution::kNormal
                  ? IsFloatType(type)
                  : distribution == RandomDistribution::kUniform &&
                        (IsFloatType(type) || IsIntegerType(type) ||
                         type == kPred);
  if (!fits) {
    return InvalidArgument("no such distribution of %s",
                           PrimitiveTypeName(type));
  }
  return declared;
}

Result RngBitGenerator(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  if (!declared.IsTuple()) return declared;
  if (declared.tuple_shapes().size() == 2 &&
      ShapesCompatible(declared.tuple_shape(0), *in.operands[0])) {
    return declared;
  }
  return InvalidArgument("expected the state %s and random bits, declared %s",
                         TypeText(*in.operands[0]), TypeText(declared));
}

Result RngGetAndUpdateState(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectOperands(in, 0));
  return Shape::ArrayWithDescendingLayout(kU64, {2});
}

}  // namespace hlokit::infer
