#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/status.h"
#include "hlo/verify/infer_rules.h"

namespace hlokit::infer {
namespace {

constexpr uint8_t Bit(TypeKind kind) {
  return uint8_t{1} << static_cast<int>(kind);
}
constexpr uint8_t kPredicate = Bit(TypeKind::kPred);
constexpr uint8_t kSignedInt = Bit(TypeKind::kSigned);
constexpr uint8_t kInteger = kSignedInt | Bit(TypeKind::kUnsigned);
constexpr uint8_t kFloating = Bit(TypeKind::kFloat);
constexpr uint8_t kComplexNumber = Bit(TypeKind::kComplex);
constexpr uint8_t kNumber = kInteger | kFloating | kComplexNumber;
constexpr uint8_t kAnything = kPredicate | kNumber;

// Element types that an operation takes.
struct KindRow {
  Opcode opcode;
  uint8_t kinds;
};

constexpr KindRow kKindRows[] = {
    {Opcode::kAbs, kSignedInt | kFloating | kComplexNumber},
    {Opcode::kAcos, kFloating | kComplexNumber},
    {Opcode::kAcosh, kFloating | kComplexNumber},
    {Opcode::kAdd, kAnything},
    {Opcode::kAnd, kPredicate | kInteger},
    {Opcode::kAsin, kFloating | kComplexNumber},
    {Opcode::kAsinh, kFloating | kComplexNumber},
    {Opcode::kAtan2, kFloating | kComplexNumber},
    {Opcode::kAtanh, kFloating | kComplexNumber},
    {Opcode::kCbrt, kFloating},
    {Opcode::kCeil, kFloating},
    {Opcode::kCompare, kAnything},
    {Opcode::kComplex, kFloating},
    {Opcode::kCosh, kFloating | kComplexNumber},
    {Opcode::kCosine, kFloating | kComplexNumber},
    {Opcode::kCountLeadingZeros, kInteger},
    {Opcode::kDivide, kNumber},
    {Opcode::kErf, kFloating},
    {Opcode::kExponential, kFloating | kComplexNumber},
    {Opcode::kExponentialMinusOne, kFloating | kComplexNumber},
    {Opcode::kFloor, kFloating},
    {Opcode::kImag, kFloating | kComplexNumber},
    {Opcode::kIsFinite, kFloating},
    {Opcode::kLog, kFloating | kComplexNumber},
    {Opcode::kLogPlusOne, kFloating | kComplexNumber},
    {Opcode::kLogistic, kFloating | kComplexNumber},
    {Opcode::kMaximum, kAnything},
    {Opcode::kMinimum, kAnything},
    {Opcode::kMulhi, kAnything},
    {Opcode::kMultiply, kAnything},
    {Opcode::kNegate, kNumber},
    {Opcode::kNot, kPredicate | kInteger},
    {Opcode::kOr, kPredicate | kInteger},
    {Opcode::kPopcnt, kInteger},
    {Opcode::kPower, kNumber},
    {Opcode::kReal, kFloating | kComplexNumber},
    {Opcode::kReducePrecision, kFloating},
    {Opcode::kRemainder, kNumber},
    {Opcode::kRoundNearestAfz, kFloating},
    {Opcode::kRoundNearestEven, kFloating},
    {Opcode::kRsqrt, kFloating | kComplexNumber},
    {Opcode::kShiftLeft, kInteger},
    {Opcode::kShiftRightArithmetic, kInteger},
    {Opcode::kShiftRightLogical, kInteger},
    {Opcode::kSign, kSignedInt | kFloating | kComplexNumber},
    {Opcode::kSine, kFloating | kComplexNumber},
    {Opcode::kSinh, kFloating | kComplexNumber},
    {Opcode::kSqrt, kFloating | kComplexNumber},
    {Opcode::kSubtract, kNumber},
    {Opcode::kTan, kFloating | kComplexNumber},
    {Opcode::kTanh, kFloating | kComplexNumber},
    {Opcode::kXor, kPredicate | kInteger},
};

constexpr std::array<uint8_t, kOpcodeCount> kKindsOf = [] {
  std::array<uint8_t, kOpcodeCount> kinds = {};
  for (const KindRow& row : kKindRows) {
    kinds[static_cast<int>(row.opcode)] = row.kinds;
  }
  return kinds;
}();

absl::Status CheckKind(const InferenceInput& in, int64_t i) {
  uint8_t kinds = kKindsOf[static_cast<int>(in.opcode)];
  PrimitiveType type = in.operands[i]->element_type();
  if (kinds & Bit(InfoOf(type).kind)) return absl::OkStatus();
  return InvalidArgument("%s does not take elements of type %s",
                         OpcodeName(in.opcode), PrimitiveTypeName(type));
}

absl::Status CheckUnary(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  return CheckKind(in, 0);
}

// Size of a dimension that two operands share; -1 if they cannot share it. A
// size of 1 stretches; an unbounded size gives way to a known one.
int64_t MergedSize(int64_t a, int64_t b) {
  if (a == b) return a;
  if (a == 1) return b;
  if (b == 1) return a;
  if (a == kUnboundedSize) return b;
  if (b == kUnboundedSize) return a;
  return -1;
}

bool IsBounded(const Shape& shape, int64_t i) {
  return shape.is_dynamic_dimension(i) && !shape.is_unbounded_dimension(i);
}

// A result of which at least one size is not that of the left operand; so it
// has a layout of its own.
Result Stretch(const Shape& a, const Shape& b, PrimitiveType type) {
  ShapeMaker result(type);
  for (int64_t i = 0; i < a.rank(); ++i) {
    int64_t size = MergedSize(a.dimension(i), b.dimension(i));
    if (size == -1) {
      return InvalidArgument("operands must have equal dimensions: %s and %s",
                             TypeText(a), TypeText(b));
    }
    result.Add(size, IsBounded(a, i) || IsBounded(b, i));
  }
  return result.Make();
}

// `a` with the dimensions of both, scalars stretched. Gives `a` itself where
// nothing changes. The verifier does not allow stretching, but types that the
// text leaves out are inferred so.
Result MergeDimensions(const Shape& a, const Shape& b, PrimitiveType type) {
  if (b.rank() == 0) return WithElementType(a, type);
  if (a.rank() == 0) return WithElementType(b, type);
  if (a.rank() != b.rank()) {
    return InvalidArgument("operands must have equal dimensions: %s and %s",
                           TypeText(a), TypeText(b));
  }
  if (a.dimensions() != b.dimensions()) return Stretch(a, b, type);
  Shape result = WithElementType(a, type);
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (b.is_dynamic_dimension(i) && !result.is_dynamic_dimension(i)) {
      result.set_dynamic_dimension(i, true);
    }
  }
  return result;
}

// Of two operands; both have been checked to be arrays.
absl::StatusOr<PrimitiveType> CommonType(const Shape& a, const Shape& b) {
  PrimitiveType x = a.element_type(), y = b.element_type();
  if (x == y) return x;
  if (TypesAgree(x, y)) return HigherPrecision(x, y);
  return InvalidArgument("element types differ: %s and %s", TypeText(a),
                         TypeText(b));
}

Result CheckedBinary(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  const Shape& a = *in.operands[0];
  const Shape& b = *in.operands[1];
  HLOKIT_RETURN_IF_ERROR(CheckKind(in, 0));
  // Handles on the same data: nothing to compare.
  if (a.dimensions().data() == b.dimensions().data()) {
    return WithElementType(a, a.element_type());
  }
  HLOKIT_RETURN_IF_ERROR(CheckKind(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(PrimitiveType type, CommonType(a, b));
  return MergeDimensions(a, b, type);
}

// The bound of clamp or the predicate of select: a scalar or of the same
// dimensions.
absl::Status CheckScalarOrLike(const InferenceInput& in, int64_t i,
                               const Shape& like) {
  const Shape& shape = *in.operands[i];
  if (shape.rank() == 0 || DimensionsAgree(shape, like)) {
    return absl::OkStatus();
  }
  return InvalidArgument("operand %d must be a scalar or have the dimensions "
                         "of %s, found %s",
                         i, TypeText(like), TypeText(shape));
}

}  // namespace

Result Unary(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckUnary(in));
  return *in.operands[0];
}

Result ComponentOf(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckUnary(in));
  const Shape& operand = *in.operands[0];
  const PrimitiveType component = ComponentType(operand.element_type());
  if (component == operand.element_type()) return operand;
  return WithElementType(operand, component);
}

Result IsFinite(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckUnary(in));
  return WithElementType(*in.operands[0], kPred);
}

Result Binary(const InferenceInput& in) { return CheckedBinary(in); }

Result Compare(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Shape merged, CheckedBinary(in));
  int64_t direction = in.attrs->GetInt(AttrId::kComparisonDirection);
  bool ordered =
      direction != static_cast<int64_t>(ComparisonDirection::kEq) &&
      direction != static_cast<int64_t>(ComparisonDirection::kNe);
  if (ordered && IsComplexType(merged.element_type())) {
    return InvalidArgument("complex numbers have no order: only EQ and NE");
  }
  return WithElementType(merged, kPred);
}

Result Complex(const InferenceInput& in) {
  HLOKIT_ASSIGN_OR_RETURN(Shape merged, CheckedBinary(in));
  PrimitiveType type = ComplexTypeOf(merged.element_type());
  if (type == kInvalid) {
    return InvalidArgument("no complex type has %s components",
                           PrimitiveTypeName(merged.element_type()));
  }
  return WithElementType(merged, type);
}

Result Select(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 3));
  const Shape& predicate = *in.operands[0];
  const Shape& on_true = *in.operands[1];
  const Shape& on_false = *in.operands[2];
  if (predicate.element_type() != kPred) {
    return InvalidArgument("operand 0 must be pred, found %s",
                           TypeText(predicate));
  }
  HLOKIT_ASSIGN_OR_RETURN(PrimitiveType type, CommonType(on_true, on_false));
  if (!DimensionsAgree(on_true, on_false)) {
    return InvalidArgument("operands must have equal dimensions: %s and %s",
                           TypeText(on_true), TypeText(on_false));
  }
  HLOKIT_RETURN_IF_ERROR(CheckScalarOrLike(in, 0, on_true));
  HLOKIT_ASSIGN_OR_RETURN(Shape result,
                          MergeDimensions(on_true, on_false, type));
  // The layout is that of the predicate if it is no scalar.
  if (predicate.rank() > 0 && predicate.has_layout()) {
    Layout layout = predicate.layout();
    if (on_true.has_layout()) {
      layout.element_size_in_bits = on_true.layout().element_size_in_bits;
    }
    if (!result.has_layout() || !(result.layout() == layout)) {
      result.set_layout(std::move(layout));
    }
  }
  return result;
}

Result Clamp(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 3));
  const Shape& operand = *in.operands[1];
  for (int64_t i : {0, 2}) {
    HLOKIT_RETURN_IF_ERROR(CommonType(*in.operands[i], operand));
    HLOKIT_RETURN_IF_ERROR(CheckScalarOrLike(in, i, operand));
  }
  return operand;
}

Result Convert(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  if (!declared.IsArray()) {
    return InvalidArgument("the result must be an array, declared %s",
                           TypeText(declared));
  }
  return WithElementType(*in.operands[0], declared.element_type());
}

Result BitcastConvert(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 1));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  if (!declared.IsArray()) {
    return InvalidArgument("the result must be an array, declared %s",
                           TypeText(declared));
  }
  const Shape& operand = *in.operands[0];
  PrimitiveType from = operand.element_type(), to = declared.element_type();
  if (IsComplexType(from) != IsComplexType(to)) {
    return InvalidArgument("bits of %s cannot be read as %s",
                           PrimitiveTypeName(from), PrimitiveTypeName(to));
  }
  int old_bits = BitWidth(from), new_bits = BitWidth(to);
  if (old_bits == new_bits) return WithElementType(operand, to);
  int wide = std::max(old_bits, new_bits);
  int narrow = std::min(old_bits, new_bits);
  if (wide % narrow != 0) {
    return InvalidArgument("the width of %s is no multiple of that of %s",
                           PrimitiveTypeName(old_bits == wide ? from : to),
                           PrimitiveTypeName(old_bits == wide ? to : from));
  }
  ShapeMaker result(to);
  int64_t rank = operand.rank();
  for (int64_t i = 0; i + 1 < rank; ++i) result.AddFrom(operand, i);
  if (old_bits > new_bits) {
    if (rank > 0) result.AddFrom(operand, rank - 1);
    result.Add(wide / narrow);
    return result.Make();
  }
  if (rank == 0 || !SizesAgree(operand.dimension(rank - 1), wide / narrow)) {
    return InvalidArgument(
        "the last dimension must be %d to go from %s to %s, found %s",
        wide / narrow, PrimitiveTypeName(from), PrimitiveTypeName(to),
        TypeText(operand));
  }
  return result.Make();
}

Result StochasticConvert(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(ExpectArrays(in, 2));
  HLOKIT_ASSIGN_OR_RETURN(Shape declared, Declared(in));
  const Shape& operand = *in.operands[0];
  const Shape& random = *in.operands[1];
  if (!IsFloatType(operand.element_type())) {
    return InvalidArgument("operand 0 must be floating-point, found %s",
                           TypeText(operand));
  }
  if (!IsUnsignedIntType(random.element_type()) ||
      BitWidth(random.element_type()) != BitWidth(operand.element_type())) {
    return InvalidArgument(
        "operand 1 must be unsigned and as wide as %s, found %s",
        PrimitiveTypeName(operand.element_type()), TypeText(random));
  }
  if (!DimensionsAgree(operand, random)) {
    return InvalidArgument("operands must have equal dimensions: %s and %s",
                           TypeText(operand), TypeText(random));
  }
  if (!declared.IsArray()) {
    return InvalidArgument("the result must be an array, declared %s",
                           TypeText(declared));
  }
  return WithElementType(operand, declared.element_type());
}

Result ReducePrecision(const InferenceInput& in) {
  HLOKIT_RETURN_IF_ERROR(CheckUnary(in));
  int64_t exponent = in.attrs->GetInt(AttrId::kExponentBits);
  int64_t mantissa = in.attrs->GetInt(AttrId::kMantissaBits);
  if (exponent < 1) {
    return InvalidArgument("exponent_bits must be at least 1, found %d",
                           exponent);
  }
  if (mantissa < 0) {
    return InvalidArgument("mantissa_bits must not be negative, found %d",
                           mantissa);
  }
  return *in.operands[0];
}

}  // namespace hlokit::infer
