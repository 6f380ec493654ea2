#include "passes/value_range.h"

#include <cmath>

#include "passes/patterns.h"

namespace hlokit {
namespace {

// Bits of the largest magnitude of an integer type.
int MagnitudeBits(PrimitiveType type) {
  if (type == kPred) return 1;
  return IsSignedIntType(type) ? BitWidth(type) - 1 : BitWidth(type);
}

bool IsIntegral(PrimitiveType type) {
  return type == kPred || IsIntegerType(type);
}

bool FloatHoldsFloat(PrimitiveType wide, PrimitiveType narrow) {
  if (wide == kF64) return true;
  // f32 has the range and precision of every narrower type but f64.
  if (wide == kF32) return narrow != kF64;
  // Both are IEEE-like; f16 and bf16 do not hold each other.
  if (wide == kF16) return narrow == kF8E5M2;
  if (wide == kBF16) return narrow == kF8E5M2;
  return false;
}

// The same, with at most `budget` instructions looked at.
bool IsNonNegativeWithin(const Instruction* x, int* budget) {
  if (--*budget < 0 || !IsFloatType(x->shape().element_type())) return false;
  const auto operand = [&](int64_t k) {
    return IsNonNegativeWithin(x->operand(k), budget);
  };
  switch (x->opcode()) {
    case Opcode::kAbs:
      return IsFloatType(x->operand(0)->shape().element_type());
    case Opcode::kExponential:
    case Opcode::kIota:
      return true;
    case Opcode::kConstant: {
      const auto value = ScalarOfFull(x);
      return value.has_value() && !std::signbit(value->GetAsDouble(0));
    }
    case Opcode::kMultiply:
      return x->operand(0) == x->operand(1);
    case Opcode::kMaximum:
      return operand(0) || operand(1);
    case Opcode::kBroadcast:
      return operand(0);
    default:
      return false;
  }
}

}  // namespace

bool IsNonNegative(const Instruction* x) {
  int budget = 32;
  return IsNonNegativeWithin(x, &budget);
}

bool HoldsAllValuesOf(PrimitiveType wide, PrimitiveType narrow) {
  if (wide == narrow) return true;
  if (IsComplexType(wide)) {
    return HoldsAllValuesOf(ComponentType(wide), ComponentType(narrow));
  }
  if (IsComplexType(narrow)) return false;
  if (IsIntegral(narrow) && IsFloatType(wide)) {
    return (wide == kF16 || wide == kBF16 || wide == kF32 || wide == kF64) &&
           MagnitudeBits(narrow) <= SignificandBits(wide) &&
           (wide != kF16 || MagnitudeBits(narrow) <= 11);
  }
  if (IsFloatType(narrow)) {
    return IsFloatType(wide) && FloatHoldsFloat(wide, narrow);
  }
  if (!IsIntegral(narrow) || !IsIntegerType(wide)) return false;
  if (IsSignedIntType(narrow) && !IsSignedIntType(wide)) return false;
  return MagnitudeBits(narrow) <= MagnitudeBits(wide);
}

}  // namespace hlokit
