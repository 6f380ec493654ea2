// Addition to power, and the elementary functions.
#include <cmath>
#include <optional>

#include "passes/patterns.h"
#include "passes/simplify/algsimp_rules.h"
#include "passes/value_range.h"

namespace hlokit::algsimp {
namespace {

using match::Any;
using match::As;
using match::Commutative;
using match::Full;
using match::FullOfAny;
using match::OneUser;
using match::Op;
using match::Same;

bool IsConstantLike(const Instruction* i) {
  return ConstantBelow(i) != nullptr;
}

// c + x -> x + c: constants to the right, so that other rules look only there.
Instruction* ConstantRight(Builder& b, Instruction* i) {
  if (!IsConstantLike(i->operand(0)) || IsConstantLike(i->operand(1))) {
    return nullptr;
  }
  return b.Binary(i->opcode(), i->operand(1), i->operand(0));
}

// (x op c1) op c2 -> x op (c1 op c2).
Instruction* GatherConstants(Builder& b, Instruction* i) {
  Instruction* inner = i->operand(0);
  if (inner->opcode() != i->opcode() || !IsConstantLike(i->operand(1)) ||
      !IsConstantLike(inner->operand(1)) ||
      IsConstantLike(inner->operand(0))) {
    return nullptr;
  }
  const auto c1 = ScalarOfFull(inner->operand(1));
  const auto c2 = ScalarOfFull(i->operand(1));
  if (!c1.has_value() || !c2.has_value()) return nullptr;
  const PrimitiveType type = TypeOf(i);
  Literal both = *c1;
  if (IsFloatType(type)) {
    // Sums of floats are left alone: constants may cancel each other.
    if (i->opcode() != Opcode::kMultiply) return nullptr;
    both.SetFromDouble(0, c1->GetAsDouble(0) * c2->GetAsDouble(0));
    if (!std::isnormal(both.GetAsDouble(0))) return nullptr;
  } else if (IsIntegerType(type)) {
    const uint64_t x = c1->GetAsInt64(0), y = c2->GetAsInt64(0);
    both.SetFromInt64(0, i->opcode() == Opcode::kAdd ? x + y : x * y);
  } else {
    return nullptr;
  }
  return b.Binary(
      i->opcode(), inner->operand(0),
      b.BroadcastScalar(b.Constant(both), i->shape().dimensions()));
}

// x + 0 -> x.
Instruction* AddZero(Builder&, Instruction* i) {
  Instruction* x;
  if (Match(i, Commutative(Opcode::kAdd, Any(&x), Full(0)))) return x;
  if (Match(i, Commutative(Opcode::kAdd, Any(&x), Full(-0.0)))) return x;
  return nullptr;
}

// x + -y -> x - y.
Instruction* AddNegated(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (Match(i, Commutative(Opcode::kAdd, Any(&x),
                           Op(Opcode::kNegate, Any(&y)))) &&
      !IsConstantLike(y)) {
    return b.Subtract(x, y);
  }
  return nullptr;
}

// a * c + b * c -> (a + b) * c, integers only.
Instruction* FactorOut(Builder& b, Instruction* i) {
  Instruction *x, *y, *c, *d;
  if (!IsInteger(i) ||
      !Match(i, Op(Opcode::kAdd,
                   OneUser(Op(Opcode::kMultiply, Any(&x), Any(&c))),
                   OneUser(Op(Opcode::kMultiply, Any(&y), Any(&d))))) ||
      i->operand(0) == i->operand(1)) {
    return nullptr;
  }
  if (c == d) return b.Multiply(b.Add(x, y), c);
  if (x == y) return b.Multiply(b.Add(c, d), x);
  return nullptr;
}

Instruction* SubtractZero(Builder&, Instruction* i) {
  return IsFull(i->operand(1), 0) ? i->operand(0) : nullptr;
}

// x - x -> 0, integers only.
Instruction* SubtractItself(Builder& b, Instruction* i) {
  if (i->operand(0) != i->operand(1) || !IsInteger(i)) return nullptr;
  return b.Full(i->shape(), 0);
}

// x - c -> x + -c.
Instruction* SubtractConstant(Builder& b, Instruction* i) {
  const auto c = ScalarOfFull(i->operand(1));
  if (!c.has_value() || IsConstantLike(i->operand(0)) ||
      !(IsInteger(i) || IsFloat(i))) {
    return nullptr;
  }
  Literal negated = *c;
  if (IsInteger(i)) {
    const uint64_t value = c->GetAsInt64(0);
    negated.SetFromInt64(0, static_cast<int64_t>(-value));
  } else {
    negated.SetFromDouble(0, -c->GetAsDouble(0));
    if (negated.GetAsDouble(0) != -c->GetAsDouble(0)) return nullptr;
  }
  return b.Add(i->operand(0), b.BroadcastScalar(b.Constant(negated),
                                                i->shape().dimensions()));
}

// x - -y -> x + y; (x + y) - y -> x for integers.
Instruction* SubtractUndone(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (Match(i, Op(Opcode::kSubtract, Any(&x), Op(Opcode::kNegate, Any(&y))))) {
    return b.Add(x, y);
  }
  Instruction* sum = i->operand(0);
  if (IsInteger(i) && sum->opcode() == Opcode::kAdd) {
    if (sum->operand(1) == i->operand(1)) return sum->operand(0);
    if (sum->operand(0) == i->operand(1)) return sum->operand(1);
  }
  return nullptr;
}

Instruction* MultiplyOne(Builder&, Instruction* i) {
  Instruction* x;
  return Match(i, Commutative(Opcode::kMultiply, Any(&x), Full(1))) ? x
                                                                    : nullptr;
}

// x * 0 -> 0 for integers (and false for pred).
Instruction* MultiplyZero(Builder& b, Instruction* i) {
  if (!(IsInteger(i) || IsPred(i))) return nullptr;
  if (!Match(i, Commutative(Opcode::kMultiply, Any(), Full(0)))) {
    return nullptr;
  }
  return b.Full(i->shape(), 0);
}

// x * -1 -> -x for integers.
Instruction* MultiplyMinusOne(Builder& b, Instruction* i) {
  Instruction* x;
  if (!IsInteger(i) ||
      !Match(i, Commutative(Opcode::kMultiply, Any(&x), Full(-1)))) {
    return nullptr;
  }
  return b.Unary(Opcode::kNegate, x);
}

// exp(x) * exp(y) -> exp(x + y).
Instruction* ExpTimesExp(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (!Match(i, Op(Opcode::kMultiply,
                   OneUser(Op(Opcode::kExponential, Any(&x))),
                   OneUser(Op(Opcode::kExponential, Any(&y)))))) {
    return nullptr;
  }
  return b.Unary(Opcode::kExponential, b.Add(x, y));
}

// |x| * |x| -> x * x.
Instruction* AbsSquared(Builder& b, Instruction* i) {
  Instruction* f = i->operand(0);
  if (i->operand(1) != f || f->opcode() != Opcode::kAbs ||
      IsComplexType(TypeOf(f->operand(0)))) {
    return nullptr;
  }
  return b.Multiply(f->operand(0), f->operand(0));
}

// rsqrt(x) * rsqrt(x) -> 1 / x where x is neither negative nor -0.
Instruction* RsqrtSquared(Builder& b, Instruction* i) {
  Instruction* f = i->operand(0);
  if (i->operand(1) != f || f->opcode() != Opcode::kRsqrt || !IsFloat(i) ||
      !IsNonNegative(f->operand(0))) {
    return nullptr;
  }
  return b.Divide(b.Full(i->shape(), 1), f->operand(0));
}

// (x * c) * y -> (x * y) * c, c a constant, for integers: constants gather at
// the end.
Instruction* ConstantsLast(Builder& b, Instruction* i) {
  Instruction *x, *c, *y;
  if (!IsInteger(i) ||
      !Match(i, Commutative(Opcode::kMultiply,
                            OneUser(Op(Opcode::kMultiply, Any(&x),
                                       FullOfAny(&c))),
                            Any(&y)))) {
    return nullptr;
  }
  if (IsConstantLike(y) || IsConstantLike(x) ||
      !ScalarOfFull(c).has_value()) {
    return nullptr;
  }
  return b.Multiply(b.Multiply(x, y), c);
}

Instruction* DivideOne(Builder&, Instruction* i) {
  return IsFull(i->operand(1), 1) ? i->operand(0) : nullptr;
}

// x / -1 -> -x for integers.
Instruction* DivideMinusOne(Builder& b, Instruction* i) {
  if (!IsInteger(i) || !IsFull(i->operand(1), -1)) return nullptr;
  return b.Unary(Opcode::kNegate, i->operand(0));
}

// 1 / c where x / c of floats may become x * (1 / c): both are far from the
// ends of the type's range.
std::optional<Literal> Reciprocal(const Instruction* i) {
  const auto c = ScalarOfFull(i->operand(1));
  if (!c.has_value() || !IsFloat(i) || IsConstantLike(i->operand(0)) ||
      BitWidth(TypeOf(i)) < 32) {
    return std::nullopt;
  }
  const double reciprocal = 1 / c->GetAsDouble(0);
  const Literal rounded = Literal::ScalarOf(TypeOf(i), reciprocal);
  if (!std::isnormal(rounded.GetAsDouble(0)) ||
      std::abs(reciprocal) < 1e-30 || std::abs(reciprocal) > 1e30) {
    return std::nullopt;
  }
  return rounded;
}

Instruction* TimesReciprocal(Builder& b, Instruction* i,
                             const Literal& reciprocal) {
  return b.Multiply(
      i->operand(0),
      b.BroadcastScalar(b.Constant(reciprocal), i->shape().dimensions()));
}

// x / 2^k -> x * 2^-k, floats: both round alike.
Instruction* DivideByFloatPowerOfTwo(Builder& b, Instruction* i) {
  const auto reciprocal = Reciprocal(i);
  int exponent;
  if (!reciprocal.has_value() ||
      std::abs(std::frexp(reciprocal->GetAsDouble(0), &exponent)) != 0.5 ||
      ScalarOfFull(i->operand(1))->GetAsDouble(0) *
              reciprocal->GetAsDouble(0) != 1) {
    return nullptr;
  }
  return TimesReciprocal(b, i, *reciprocal);
}

// x / c -> x * (1 / c), floats.
Instruction* DivideByConstant(Builder& b, Instruction* i) {
  const auto reciprocal = Reciprocal(i);
  return reciprocal.has_value() ? TimesReciprocal(b, i, *reciprocal) : nullptr;
}

// x / 2^k -> x >> k, unsigned.
Instruction* DivideByPowerOfTwo(Builder& b, Instruction* i) {
  const auto c = ScalarOfFull(i->operand(1));
  if (!c.has_value() || !IsUnsignedIntType(TypeOf(i))) return nullptr;
  const uint64_t value = c->GetAsInt64(0);
  if (value == 0 || (value & (value - 1)) != 0) return nullptr;
  return b.Binary(Opcode::kShiftRightLogical, i->operand(0),
                  b.FullInt(i->shape(), __builtin_ctzll(value)));
}

// x % 2^k -> x & (2^k - 1), unsigned; x % 1 -> 0.
Instruction* RemainderOfPowerOfTwo(Builder& b, Instruction* i) {
  const auto c = ScalarOfFull(i->operand(1));
  if (!c.has_value() || !IsInteger(i)) return nullptr;
  const uint64_t value = c->GetAsInt64(0);
  if (value == 1) return b.Full(i->shape(), 0);
  if (!IsUnsignedIntType(TypeOf(i)) || value == 0 ||
      (value & (value - 1)) != 0) {
    return nullptr;
  }
  return b.Binary(Opcode::kAnd, i->operand(0),
                  b.FullInt(i->shape(), value - 1));
}

// a / exp(b) -> a * exp(-b).
Instruction* DivideByExp(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (!IsFloat(i) ||
      !Match(i, Op(Opcode::kDivide, Any(&x),
                   OneUser(Op(Opcode::kExponential, Any(&y)))))) {
    return nullptr;
  }
  return b.Multiply(
      x, b.Unary(Opcode::kExponential, b.Unary(Opcode::kNegate, y)));
}

// a / sqrt(b) -> a * rsqrt(b).
Instruction* DivideBySqrt(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (!IsFloat(i) || !Match(i, Op(Opcode::kDivide, Any(&x),
                                  OneUser(Op(Opcode::kSqrt, Any(&y)))))) {
    return nullptr;
  }
  return b.Multiply(x, b.Unary(Opcode::kRsqrt, y));
}

// a / rsqrt(b) -> a * sqrt(b).
Instruction* DivideByRsqrt(Builder& b, Instruction* i) {
  Instruction *x, *y;
  if (!IsFloat(i) || !Match(i, Op(Opcode::kDivide, Any(&x),
                                  OneUser(Op(Opcode::kRsqrt, Any(&y)))))) {
    return nullptr;
  }
  return b.Multiply(x, b.Unary(Opcode::kSqrt, y));
}

// (a / b) / c -> a / (b * c).
Instruction* DivideQuotient(Builder& b, Instruction* i) {
  Instruction *x, *y, *z;
  if (!IsFloat(i) ||
      !Match(i, Op(Opcode::kDivide,
                   OneUser(Op(Opcode::kDivide, Any(&x), Any(&y))),
                   Any(&z)))) {
    return nullptr;
  }
  return b.Divide(x, b.Multiply(y, z));
}

// a / (b / c) -> (a * c) / b.
Instruction* DivideByQuotient(Builder& b, Instruction* i) {
  Instruction *x, *y, *z;
  if (!IsFloat(i) ||
      !Match(i, Op(Opcode::kDivide, Any(&x),
                   OneUser(Op(Opcode::kDivide, Any(&y), Any(&z)))))) {
    return nullptr;
  }
  return b.Divide(b.Multiply(x, z), y);
}

bool IsPowerOf(const Instruction* i, double exponent) {
  const auto c = ScalarOfFull(i->operand(1));
  return c.has_value() && !IsComplexType(TypeOf(i)) &&
         c->GetAsDouble(0) == exponent;
}

Instruction* PowerZero(Builder& b, Instruction* i) {
  return IsPowerOf(i, 0) ? b.Full(i->shape(), 1) : nullptr;
}

Instruction* PowerOne(Builder&, Instruction* i) {
  return IsPowerOf(i, 1) ? i->operand(0) : nullptr;
}

Instruction* PowerTwo(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  return IsPowerOf(i, 2) ? b.Multiply(x, x) : nullptr;
}

Instruction* PowerThree(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  return IsPowerOf(i, 3) ? b.Multiply(b.Multiply(x, x), x) : nullptr;
}

Instruction* PowerMinusOne(Builder& b, Instruction* i) {
  if (!IsFloat(i) || !IsPowerOf(i, -1)) return nullptr;
  return b.Divide(b.Full(i->shape(), 1), i->operand(0));
}

// exp(x) ^ y -> exp(x * y).
Instruction* PowerOfExponential(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (x->opcode() != Opcode::kExponential || !HasOneUser(x) || !IsFloat(i)) {
    return nullptr;
  }
  return b.Unary(Opcode::kExponential,
                 b.Multiply(x->operand(0), i->operand(1)));
}

Instruction* LogOfExponential(Builder&, Instruction* i) {
  Instruction* x = i->operand(0);
  return x->opcode() == Opcode::kExponential && IsFloat(i) ? x->operand(0)
                                                           : nullptr;
}

// sqrt(x * x) -> |x|.
Instruction* SqrtOfSquare(Builder& b, Instruction* i) {
  Instruction* x;
  if (!IsFloat(i) || !Match(i, Op(Opcode::kSqrt, Op(Opcode::kMultiply, Any(&x),
                                                    Same(&x))))) {
    return nullptr;
  }
  return b.Unary(Opcode::kAbs, x);
}

// rsqrt(1 / x) -> sqrt(x) where x is neither negative nor -0.
Instruction* RsqrtOfReciprocal(Builder& b, Instruction* i) {
  Instruction* x;
  if (!IsFloat(i) ||
      !Match(i, Op(Opcode::kRsqrt,
                   OneUser(Op(Opcode::kDivide, Full(1), Any(&x))))) ||
      !IsNonNegative(x)) {
    return nullptr;
  }
  return b.Unary(Opcode::kSqrt, x);
}

Instruction* NegateTwice(Builder&, Instruction* i) {
  Instruction* x = i->operand(0);
  return x->opcode() == Opcode::kNegate ? x->operand(0) : nullptr;
}

// -(x - y) -> y - x, integers (floats would get +0 for -0).
Instruction* NegateDifference(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (!IsInteger(i) || x->opcode() != Opcode::kSubtract || !HasOneUser(x)) {
    return nullptr;
  }
  return b.Subtract(x->operand(1), x->operand(0));
}

// ||x||, |-x| and |x * x| of reals.
Instruction* AbsOfSigned(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  if (IsComplexType(TypeOf(x))) return nullptr;
  if (x->opcode() == Opcode::kAbs) return x;
  if (x->opcode() == Opcode::kNegate) {
    return b.Unary(Opcode::kAbs, x->operand(0));
  }
  if (x->opcode() == Opcode::kMultiply && IsFloat(x) &&
      x->operand(0) == x->operand(1)) {
    return x;
  }
  return nullptr;
}

// Rounding what is rounded, or was an integer.
Instruction* RoundInteger(Builder&, Instruction* i) {
  Instruction* x = i->operand(0);
  switch (x->opcode()) {
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return x;
    case Opcode::kConvert:
      return IsInteger(x->operand(0)) ? x : nullptr;
    default:
      return nullptr;
  }
}

// max(x, x) -> x; so min.
Instruction* ExtremeOfSame(Builder&, Instruction* i) {
  return i->operand(0) == i->operand(1) ? i->operand(0) : nullptr;
}

// max(max(x, y), y) -> max(x, y); so min.
Instruction* ExtremeAbsorbed(Builder&, Instruction* i) {
  Instruction *x = i->operand(0), *y = i->operand(1);
  for (auto [inner, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (inner->opcode() == i->opcode() &&
        (inner->operand(0) == other || inner->operand(1) == other)) {
      return inner;
    }
  }
  return nullptr;
}

// max(x, smallest) -> x and so on, where the constant never wins or always.
Instruction* ExtremeOfLimit(Builder& b, Instruction* i) {
  Instruction* x = i->operand(0);
  Instruction* c = i->operand(1);
  const auto value = ScalarOfFull(c);
  if (!value.has_value()) return nullptr;
  const bool max = i->opcode() == Opcode::kMaximum;
  const PrimitiveType type = TypeOf(i);
  if (IsFloatType(type)) {
    const double limit = value->GetAsDouble(0);
    return std::isinf(limit) && (limit < 0) == max ? x : nullptr;
  }
  if (type == kPred) {
    if ((value->GetAsInt64(0) == 0) == max) return x;
    return c;
  }
  if (!IsIntegerType(type) || BitWidth(type) > 32) return nullptr;
  const int bits = BitWidth(type);
  const bool is_signed = IsSignedIntType(type);
  const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high =
      is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
  const int64_t number = value->GetAsInt64(0);
  if (number == (max ? low : high)) return x;
  if (number == (max ? high : low)) return c;
  return nullptr;
}

// min(max(x, low), high) -> clamp(low, x, high) with constants low <= high.
Instruction* ClampOfExtremes(Builder& b, Instruction* i) {
  Instruction *x, *low, *high;
  if (!(IsFloat(i) || IsInteger(i)) ||
      !Match(i, Op(Opcode::kMinimum,
                   OneUser(Op(Opcode::kMaximum, Any(&x), FullOfAny(&low))),
                   FullOfAny(&high))) ||
      IsConstantLike(x)) {
    return nullptr;
  }
  const auto l = ScalarOfFull(low), h = ScalarOfFull(high);
  if (IsInteger(i) && BitWidth(TypeOf(i)) > 32) return nullptr;
  if (!(l->GetAsDouble(0) <= h->GetAsDouble(0))) return nullptr;
  return b.Clamp(b.Constant(*l), x, b.Constant(*h));
}

Instruction* PartOfComplex(Builder&, Instruction* i) {
  Instruction* z = i->operand(0);
  if (z->opcode() != Opcode::kComplex) return nullptr;
  return z->operand(i->opcode() == Opcode::kReal ? 0 : 1);
}

Instruction* ComplexOfParts(Builder&, Instruction* i) {
  Instruction *z, *w;
  if (Match(i, Op(Opcode::kComplex, Op(Opcode::kReal, Any(&z)),
                  Op(Opcode::kImag, Any(&w)))) &&
      z == w && IsComplexType(TypeOf(z))) {
    return z;
  }
  return nullptr;
}

constexpr Rule kArithmeticRules[] = {
    {Opcode::kAdd, AddZero, Rewrite::kAddZero},
    {Opcode::kAdd, ConstantRight, Rewrite::kConstantRight},
    {Opcode::kAdd, GatherConstants, Rewrite::kGatherConstants},
    {Opcode::kAdd, AddNegated, Rewrite::kAddNegated},
    {Opcode::kAdd, FactorOut, Rewrite::kFactorOut},
    {Opcode::kSubtract, SubtractZero, Rewrite::kSubtractZero},
    {Opcode::kSubtract, SubtractItself, Rewrite::kSubtractItself},
    {Opcode::kSubtract, SubtractUndone, Rewrite::kSubtractUndone},
    {Opcode::kSubtract, SubtractConstant, Rewrite::kSubtractConstant},
    {Opcode::kMultiply, MultiplyOne, Rewrite::kMultiplyOne},
    {Opcode::kMultiply, MultiplyZero, Rewrite::kMultiplyZero},
    {Opcode::kMultiply, MultiplyMinusOne, Rewrite::kMultiplyMinusOne},
    {Opcode::kMultiply, ConstantRight, Rewrite::kConstantRight},
    {Opcode::kMultiply, GatherConstants, Rewrite::kGatherConstants},
    {Opcode::kMultiply, ConstantsLast, Rewrite::kConstantsLast},
    {Opcode::kMultiply, ExpTimesExp, Rewrite::kExpTimesExp},
    {Opcode::kMultiply, AbsSquared, Rewrite::kAbsSquared},
    {Opcode::kMultiply, RsqrtSquared, Rewrite::kRsqrtSquared},
    {Opcode::kDivide, DivideOne, Rewrite::kDivideOne},
    {Opcode::kDivide, DivideMinusOne, Rewrite::kDivideMinusOne},
    {Opcode::kDivide, DivideByFloatPowerOfTwo,
     Rewrite::kDivideByFloatPowerOfTwo},
    {Opcode::kDivide, DivideByConstant, Rewrite::kDivideByConstant},
    {Opcode::kDivide, DivideByPowerOfTwo, Rewrite::kDivideByPowerOfTwo},
    {Opcode::kDivide, DivideByExp, Rewrite::kDivideByExp},
    {Opcode::kDivide, DivideBySqrt, Rewrite::kDivideBySqrt},
    {Opcode::kDivide, DivideByRsqrt, Rewrite::kDivideByRsqrt},
    {Opcode::kDivide, DivideQuotient, Rewrite::kDivideQuotient},
    {Opcode::kDivide, DivideByQuotient, Rewrite::kDivideByQuotient},
    {Opcode::kRemainder, RemainderOfPowerOfTwo,
     Rewrite::kRemainderOfPowerOfTwo},
    {Opcode::kPower, PowerZero, Rewrite::kPowerZero},
    {Opcode::kPower, PowerOne, Rewrite::kPowerOne},
    {Opcode::kPower, PowerTwo, Rewrite::kPowerTwo},
    {Opcode::kPower, PowerThree, Rewrite::kPowerThree},
    {Opcode::kPower, PowerMinusOne, Rewrite::kPowerMinusOne},
    {Opcode::kPower, PowerOfExponential, Rewrite::kPowerOfExponential},
    {Opcode::kLog, LogOfExponential, Rewrite::kLogOfExponential},
    {Opcode::kSqrt, SqrtOfSquare, Rewrite::kSqrtOfSquare},
    {Opcode::kRsqrt, RsqrtOfReciprocal, Rewrite::kRsqrtOfReciprocal},
    {Opcode::kNegate, NegateTwice, Rewrite::kNegateTwice},
    {Opcode::kNegate, NegateDifference, Rewrite::kNegateDifference},
    {Opcode::kAbs, AbsOfSigned, Rewrite::kAbsOfSigned},
    {Opcode::kFloor, RoundInteger, Rewrite::kRoundInteger},
    {Opcode::kCeil, RoundInteger, Rewrite::kRoundInteger},
    {Opcode::kRoundNearestAfz, RoundInteger, Rewrite::kRoundInteger},
    {Opcode::kRoundNearestEven, RoundInteger, Rewrite::kRoundInteger},
    {Opcode::kMaximum, ExtremeOfSame, Rewrite::kExtremeOfSame},
    {Opcode::kMaximum, ExtremeAbsorbed, Rewrite::kExtremeAbsorbed},
    {Opcode::kMaximum, ConstantRight, Rewrite::kConstantRight},
    {Opcode::kMaximum, ExtremeOfLimit, Rewrite::kExtremeOfLimit},
    {Opcode::kMinimum, ExtremeOfSame, Rewrite::kExtremeOfSame},
    {Opcode::kMinimum, ExtremeAbsorbed, Rewrite::kExtremeAbsorbed},
    {Opcode::kMinimum, ConstantRight, Rewrite::kConstantRight},
    {Opcode::kMinimum, ExtremeOfLimit, Rewrite::kExtremeOfLimit},
    {Opcode::kMinimum, ClampOfExtremes, Rewrite::kClampOfExtremes},
    {Opcode::kReal, PartOfComplex, Rewrite::kPartOfComplex},
    {Opcode::kImag, PartOfComplex, Rewrite::kPartOfComplex},
    {Opcode::kComplex, ComplexOfParts, Rewrite::kComplexOfParts},
};

}  // namespace

absl::Span<const Rule> ArithmeticRules() { return kArithmeticRules; }

}  // namespace hlokit::algsimp
