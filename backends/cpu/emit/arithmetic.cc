#include "backends/cpu/emit/arithmetic.h"

#include <limits>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/cpu/emit/math.h"
#include "backends/log_denormals.h"
#include "hlo/ir/enums.h"

namespace hlokit::cpu {
namespace {

using Result = std::optional<Element>;

bool IsComplex(const Element& x) { return IsComplexType(x.type); }
bool IsFloat(const Element& x) { return IsFloatType(x.type); }
bool IsInteger(const Element& x) { return IsIntegerType(x.type); }
bool IsSigned(const Element& x) { return IsSignedIntType(x.type); }

// Functions of EmitMath, by opcode.
absl::string_view MathName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos:
      return "acos";
    case Opcode::kAcosh:
      return "acosh";
    case Opcode::kAsin:
      return "asin";
    case Opcode::kAsinh:
      return "asinh";
    case Opcode::kAtanh:
      return "atanh";
    case Opcode::kCbrt:
      return "cbrt";
    case Opcode::kCosh:
      return "cosh";
    case Opcode::kCosine:
      return "cos";
    case Opcode::kErf:
      return "erf";
    case Opcode::kExponential:
      return "exp";
    case Opcode::kExponentialMinusOne:
      return "expm1";
    case Opcode::kLog:
      return "log";
    case Opcode::kLogistic:
      return "logistic";
    case Opcode::kLogPlusOne:
      return "log1p";
    case Opcode::kSine:
      return "sin";
    case Opcode::kSinh:
      return "sinh";
    case Opcode::kTan:
      return "tan";
    case Opcode::kTanh:
      return "tanh";
    case Opcode::kAtan2:
      return "atan2";
    case Opcode::kPower:
      return "pow";
    case Opcode::kRemainder:
      return "fmod";
    default:
      return "";
  }
}

absl::string_view IntrinsicName(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCeil:
      return "llvm.ceil";
    case Opcode::kFloor:
      return "llvm.floor";
    case Opcode::kRoundNearestAfz:
      return "llvm.round";
    case Opcode::kRoundNearestEven:
      return "llvm.roundeven";
    case Opcode::kSqrt:
      return "llvm.sqrt";
    default:
      return "";
  }
}

// What all arithmetic of floats here may do, and take for granted.
const std::string& Fast(IrFunction& f) { return f.module().fast_math(); }

IrValue Abs(IrFunction& f, const IrValue& x) {
  return f.Intrinsic("llvm.fabs", x.type, {x}, Fast(f));
}

IrValue IsFinite(IrFunction& f, const IrValue& x) {
  return f.CompareFloat(
      "olt", Abs(f, x),
      f.FloatConst(x.type, std::numeric_limits<double>::infinity()), Fast(f));
}

// Keeps NaN and the sign of zeros; denormals that count as zero become zeros.
IrValue FloatSign(IrFunction& f, const IrValue& x) {
  const IrValue zero = f.FloatConst(x.type, 0);
  const IrValue is_zero = f.CompareFloat("oeq", x, zero, Fast(f));
  const IrValue sign = f.Intrinsic(
      "llvm.copysign", x.type,
      {f.Select(is_zero, zero, f.FloatConst(x.type, 1), Fast(f)), x});
  return f.Select(f.CompareFloat("uno", x, x, Fast(f)), x, sign, Fast(f));
}

IrValue IntegerSign(IrFunction& f, const Element& x) {
  const IrValue zero = f.Const(x.value.type, 0);
  const IrValue above =
      f.Cast("zext", f.Compare(IsSigned(x) ? "sgt" : "ugt", x.value, zero),
             x.value.type);
  if (!IsSigned(x)) return above;
  return f.Op("or", above,
              f.Cast("sext", f.Compare("slt", x.value, zero), x.value.type));
}

Result FloatUnary(IrFunction& f, const Instruction& i, const Element& x) {
  const IrValue& v = x.value;
  const auto same = [&](IrValue value) { return Element{x.type, value}; };
  if (const auto name = MathName(i.opcode()); !name.empty()) {
    // As XLA:CPU's vector code and its scalar code do.
    const bool flush = i.opcode() == Opcode::kLog &&
                       ElementsIn(i.shape()) >= kLogFlushesFrom;
    return same(EmitMath(f, name, {flush ? Flushed(f, v) : v}));
  }
  if (const auto name = IntrinsicName(i.opcode()); !name.empty()) {
    return same(f.Intrinsic(name, v.type, {v}, Fast(f)));
  }
  const IrValue one = f.FloatConst(v.type, 1);
  switch (i.opcode()) {
    case Opcode::kAbs:
      return same(Abs(f, v));
    case Opcode::kNegate:
      return same(f.Op("fneg", v, Fast(f)));
    case Opcode::kSign:
      return same(FloatSign(f, v));
    case Opcode::kRsqrt:
      return same(f.Op("fdiv", one,
                       f.Intrinsic("llvm.sqrt", v.type, {v}, Fast(f)),
                       Fast(f)));
    case Opcode::kIsFinite:
      return Element{kPred, IsFinite(f, v)};
    case Opcode::kReal:
      return x;
    case Opcode::kImag:
      return same(f.FloatConst(v.type, 0));
    default:
      return std::nullopt;
  }
}

Result IntegerUnary(IrFunction& f, const Instruction& i, const Element& x) {
  const IrValue& v = x.value;
  const auto wrapped = [&](IrValue value) {
    return Wrap(f, Element{x.type, value});
  };
  const IrValue zero = f.Const(v.type, 0);
  // Only the value's own bits count.
  const int spare = 8 * StorageBytes(x.type) - BitWidth(x.type);
  const auto own_bits = [&] {
    if (spare == 0) return v;
    return f.Op("and", v, f.Const(v.type, (1 << BitWidth(x.type)) - 1));
  };
  switch (i.opcode()) {
    case Opcode::kAbs:
      if (!IsSigned(x)) return x;
      return wrapped(
          f.Select(f.Compare("slt", v, zero), f.Op("sub", zero, v), v));
    case Opcode::kNegate:
      return wrapped(f.Op("sub", zero, v));
    case Opcode::kNot:
      return wrapped(f.Op("xor", v, f.Const(v.type, -1)));
    case Opcode::kSign:
      return wrapped(IntegerSign(f, x));
    case Opcode::kPopcnt:
      return wrapped(f.Intrinsic("llvm.ctpop", v.type, {own_bits()}));
    case Opcode::kCountLeadingZeros:
      return wrapped(
          f.Op("sub",
               f.Intrinsic("llvm.ctlz", v.type, {own_bits(), f.Const("i1", 0)}),
               f.Const(v.type, spare)));
    default:
      return std::nullopt;
  }
}

Result ComplexUnary(IrFunction& f, const Instruction& i, const Element& x) {
  const PrimitiveType part = ComponentType(x.type);
  switch (i.opcode()) {
    case Opcode::kReal:
      return Element{part, x.value};
    case Opcode::kImag:
      return Element{part, x.imag};
    case Opcode::kNegate:
      return Element{x.type, f.Op("fneg", x.value, Fast(f)),
                     f.Op("fneg", x.imag, Fast(f))};
    default:
      return std::nullopt;
  }
}

// How a float type divides its bits.
struct FloatBits {
  std::string integer;
  int exponent;
  int mantissa;
};

FloatBits FloatBitsOf(PrimitiveType type) {
  if (type == kF16) return {"i16", 5, 10};
  if (type == kF32) return {"i32", 8, 23};
  return {"i64", 11, 52};
}

// Rounds f16, f32 or f64 to fewer bits of exponent and mantissa.
Element ReducePrecision(IrFunction& f, const Instruction& i, const Element& x) {
  const auto [type, exponent, mantissa] = FloatBitsOf(x.type);
  const int64_t keep = i.attrs().GetInt(AttrId::kMantissaBits);
  const int64_t keep_exponent = i.attrs().GetInt(AttrId::kExponentBits);
  // By value: structured bindings cannot be captured portably.
  const auto constant = [&f, name = type](int64_t v) {
    return f.Const(name, v);
  };
  const IrValue original = f.Cast("bitcast", x.value, type);
  IrValue bits = original;
  if (keep < mantissa) {
    const int64_t drop = mantissa - keep;
    const IrValue odd =
        f.Op("and", f.Op("lshr", bits, constant(drop)), constant(1));
    const IrValue up =
        f.Op("add", odd, constant((int64_t{1} << (drop - 1)) - 1));
    bits = f.Op("and", f.Op("add", bits, up), constant(-(int64_t{1} << drop)));
  }
  const int64_t infinite = ((int64_t{1} << exponent) - 1) << mantissa;
  const int64_t magnitude = infinite | ((int64_t{1} << mantissa) - 1);
  if (keep_exponent < exponent) {
    const int64_t bias = (int64_t{1} << (exponent - 1)) - 1;
    const int64_t small_bias = (int64_t{1} << (keep_exponent - 1)) - 1;
    const IrValue field = f.Op("and", f.Op("lshr", bits, constant(mantissa)),
                               constant((int64_t{1} << exponent) - 1));
    const IrValue signs = f.Op("and", bits, constant(-magnitude - 1));
    const IrValue infinity = f.Op("or", signs, constant(infinite));
    const IrValue over = f.Compare("sgt", field, constant(bias + small_bias));
    const IrValue under = f.Compare("sle", field, constant(bias - small_bias));
    bits = f.Select(over, infinity, f.Select(under, signs, bits));
  }
  // NaN stays.
  const IrValue nan =
      f.Compare("ugt", f.Op("and", original, constant(magnitude)),
                constant(infinite));
  return {x.type, f.Cast("bitcast", f.Select(nan, original, bits),
                         RegisterType(x.type))};
}

Result FloatBinary(IrFunction& f, Opcode opcode, const Element& a,
                   const Element& b) {
  const auto same = [&](IrValue value) { return Element{a.type, value}; };
  const std::string& type = a.value.type;
  const std::string& fast = Fast(f);
  switch (opcode) {
    case Opcode::kAdd:
      return same(f.Op("fadd", a.value, b.value, fast));
    case Opcode::kSubtract:
      return same(f.Op("fsub", a.value, b.value, fast));
    case Opcode::kMultiply:
      return same(f.Op("fmul", a.value, b.value, fast));
    case Opcode::kDivide:
      return same(f.Op("fdiv", a.value, b.value, fast));
    case Opcode::kMaximum:
      return same(f.Intrinsic("llvm.maximum", type, {a.value, b.value}, fast));
    case Opcode::kMinimum:
      return same(f.Intrinsic("llvm.minimum", type, {a.value, b.value}, fast));
    case Opcode::kAtan2:
    case Opcode::kPower:
    case Opcode::kRemainder:
      return same(EmitMath(f, MathName(opcode), {a.value, b.value}));
    case Opcode::kComplex:
      return Element{ComplexTypeOf(a.type), a.value, b.value};
    default:
      return std::nullopt;
  }
}

Result PredBinary(IrFunction& f, Opcode opcode, const Element& a,
                  const Element& b) {
  absl::string_view op;
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kMultiply:
    case Opcode::kMinimum:
      op = "and";
      break;
    case Opcode::kOr:
    case Opcode::kAdd:
    case Opcode::kMaximum:
      op = "or";
      break;
    case Opcode::kXor:
      op = "xor";
      break;
    default:
      return std::nullopt;
  }
  return Element{kPred, f.Op(op, a.value, b.value)};
}

// x / 0 has all bits set, the smallest number / -1 is itself; x % 0 is x.
IrValue DivideIntegers(IrFunction& f, bool remainder, const Element& a,
                       const Element& b) {
  const std::string& type = a.value.type;
  const IrValue one = f.Const(type, 1);
  const IrValue by_zero = f.Compare("eq", b.value, f.Const(type, 0));
  IrValue unsafe = by_zero;
  IrValue by_minus_one;
  if (IsSigned(a)) {
    by_minus_one = f.Compare("eq", b.value, f.Const(type, -1));
    unsafe = f.Op("or", by_zero, by_minus_one);
  }
  const IrValue divisor = f.Select(unsafe, one, b.value);
  const char* const ops[2][2] = {{"udiv", "urem"}, {"sdiv", "srem"}};
  IrValue result = f.Op(ops[IsSigned(a)][remainder], a.value, divisor);
  if (IsSigned(a)) {
    const IrValue negative =
        remainder ? f.Const(type, 0) : f.Op("sub", f.Const(type, 0), a.value);
    result = f.Select(by_minus_one, negative, result);
  }
  return f.Select(by_zero, remainder ? a.value : f.Const(type, -1), result);
}

// Amounts count as unsigned; too large ones shift everything out.
IrValue Shift(IrFunction& f, Opcode opcode, const Element& a,
              const Element& b) {
  const std::string& type = a.value.type;
  const int bits = BitWidth(a.type);
  const bool arithmetic = opcode == Opcode::kShiftRightArithmetic;
  const auto own_bits = [&](const IrValue& v) {
    if (bits >= 8) return v;
    return f.Op("and", v, f.Const(type, (1 << bits) - 1));
  };
  const IrValue amount = own_bits(b.value);
  const IrValue large = f.Compare("uge", amount, f.Const(type, bits));
  const IrValue safe =
      f.Select(large, f.Const(type, arithmetic ? bits - 1 : 0), amount);
  if (arithmetic) {
    IrValue value = a.value;
    if (bits < 8) {
      const IrValue unused = f.Const(type, 8 - bits);
      value = f.Op("ashr", f.Op("shl", value, unused), unused);
    }
    return f.Op("ashr", value, safe);
  }
  const IrValue shifted = opcode == Opcode::kShiftLeft
                              ? f.Op("shl", a.value, safe)
                              : f.Op("lshr", own_bits(a.value), safe);
  return f.Select(large, f.Const(type, 0), shifted);
}

IrValue Mulhi(IrFunction& f, const Element& a, const Element& b) {
  const int bits = BitWidth(a.type);
  const std::string wide = absl::StrCat("i", 2 * 8 * StorageBytes(a.type));
  const absl::string_view extend = IsSigned(a) ? "sext" : "zext";
  const IrValue product =
      f.Op("mul", f.Cast(extend, a.value, wide), f.Cast(extend, b.value, wide));
  return f.Cast("trunc", f.Op("lshr", product, f.Const(wide, bits)),
                a.value.type);
}

Result IntegerBinary(IrFunction& f, Opcode opcode, const Element& a,
                     const Element& b) {
  const auto op = [&](absl::string_view name) {
    return Wrap(f, {a.type, f.Op(name, a.value, b.value)});
  };
  const auto wrapped = [&](IrValue value) {
    return Wrap(f, {a.type, std::move(value)});
  };
  switch (opcode) {
    case Opcode::kAdd:
      return op("add");
    case Opcode::kSubtract:
      return op("sub");
    case Opcode::kMultiply:
      return op("mul");
    case Opcode::kAnd:
      return op("and");
    case Opcode::kOr:
      return op("or");
    case Opcode::kXor:
      return op("xor");
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return Element{
          a.type,
          f.Intrinsic(absl::StrCat("llvm.", IsSigned(a) ? "s" : "u",
                                   opcode == Opcode::kMaximum ? "max" : "min"),
                      a.value.type, {a.value, b.value})};
    case Opcode::kDivide:
    case Opcode::kRemainder:
      return wrapped(DivideIntegers(f, opcode == Opcode::kRemainder, a, b));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return wrapped(Shift(f, opcode, a, b));
    case Opcode::kMulhi:
      return wrapped(Mulhi(f, a, b));
    default:
      return std::nullopt;
  }
}

Result ComplexBinary(IrFunction& f, Opcode opcode, const Element& a,
                     const Element& b) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract: {
      const absl::string_view op = opcode == Opcode::kAdd ? "fadd" : "fsub";
      return Element{a.type, f.Op(op, a.value, b.value, Fast(f)),
                     f.Op(op, a.imag, b.imag, Fast(f))};
    }
    case Opcode::kMultiply: {
      const auto times = [&](const IrValue& x, const IrValue& y) {
        return f.Op("fmul", x, y, Fast(f));
      };
      return Element{a.type,
                     f.Op("fsub", times(a.value, b.value),
                          times(a.imag, b.imag), Fast(f)),
                     f.Op("fadd", times(a.value, b.imag),
                          times(a.imag, b.value), Fast(f))};
    }
    default:
      return std::nullopt;
  }
}

struct Predicates {
  const char* of_float;
  const char* of_signed;
  const char* of_unsigned;
};

Predicates PredicatesOf(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return {"oeq", "eq", "eq"};
    case ComparisonDirection::kNe:
      return {"une", "ne", "ne"};
    case ComparisonDirection::kGe:
      return {"oge", "sge", "uge"};
    case ComparisonDirection::kGt:
      return {"ogt", "sgt", "ugt"};
    case ComparisonDirection::kLe:
      return {"ole", "sle", "ule"};
    case ComparisonDirection::kLt:
      return {"olt", "slt", "ult"};
    default:
      return {"", "", ""};
  }
}

// A number whose order as an integer is the total order of floats.
IrValue TotalOrderKey(IrFunction& f, const IrValue& x) {
  const std::string type = x.type == "float" ? "i32" : "i64";
  const int64_t magnitude = x.type == "float"
                                ? std::numeric_limits<int32_t>::max()
                                : std::numeric_limits<int64_t>::max();
  const IrValue bits = f.Cast("bitcast", x, type);
  return f.Select(f.Compare("slt", bits, f.Const(type, 0)),
                  f.Op("xor", bits, f.Const(type, magnitude)), bits);
}

Result Compare(IrFunction& f, const Instruction& i, const Element& a,
               const Element& b) {
  const Predicates predicates = PredicatesOf(i.comparison_direction());
  if (predicates.of_float[0] == '\0') return std::nullopt;
  if (IsComplex(a)) {
    const IrValue re =
        f.CompareFloat(predicates.of_float, a.value, b.value, Fast(f));
    const IrValue im =
        f.CompareFloat(predicates.of_float, a.imag, b.imag, Fast(f));
    const bool equal = i.comparison_direction() == ComparisonDirection::kEq;
    if (!equal && i.comparison_direction() != ComparisonDirection::kNe) {
      return std::nullopt;
    }
    return Element{kPred, f.Op(equal ? "and" : "or", re, im)};
  }
  if (IsFloat(a)) {
    if (i.comparison_type() == ComparisonType::kFloatTotalOrder) {
      return Element{kPred,
                     f.Compare(predicates.of_signed, TotalOrderKey(f, a.value),
                               TotalOrderKey(f, b.value))};
    }
    return Element{kPred, f.CompareFloat(predicates.of_float, a.value, b.value,
                                         Fast(f))};
  }
  const bool is_signed = i.comparison_type() == ComparisonType::kSigned;
  if (is_signed != IsSigned(a) && BitWidth(a.type) < 8) return std::nullopt;
  return Element{kPred, f.Compare(is_signed ? predicates.of_signed
                                            : predicates.of_unsigned,
                                  a.value, b.value)};
}

Result BitcastConvert(IrFunction& f, const Element& x, PrimitiveType type) {
  if (BitWidth(x.type) != BitWidth(type) || BitWidth(type) < 8 ||
      IsComplex(x) || IsComplexType(type) || type == kPred || x.type == kPred) {
    return std::nullopt;
  }
  return Element{type, f.Cast("bitcast", x.value, RegisterType(type))};
}

Element Select(IrFunction& f, const IrValue& condition, const Element& a,
               const Element& b) {
  const std::string& type = a.value.type;
  const bool is_float = type == "half" || type == "float" || type == "double";
  absl::string_view fast;
  if (is_float) fast = Fast(f);
  Element result{a.type, f.Select(condition, a.value, b.value, fast)};
  if (IsComplex(a)) result.imag = f.Select(condition, a.imag, b.imag, fast);
  return result;
}

Result Binary(IrFunction& f, Opcode opcode, const Element& a,
              const Element& b) {
  if (IsComplex(a)) return ComplexBinary(f, opcode, a, b);
  if (IsFloat(a)) return FloatBinary(f, opcode, a, b);
  if (IsInteger(a)) return IntegerBinary(f, opcode, a, b);
  return PredBinary(f, opcode, a, b);
}

Result Unary(IrFunction& f, const Instruction& i, const Element& x) {
  if (i.opcode() == Opcode::kReducePrecision) {
    if (!IsFloat(x)) return std::nullopt;
    return ReducePrecision(f, i, x);
  }
  if (IsComplex(x)) return ComplexUnary(f, i, x);
  if (IsFloat(x)) return FloatUnary(f, i, x);
  if (IsInteger(x)) return IntegerUnary(f, i, x);
  if (i.opcode() == Opcode::kNot) {
    return Element{kPred, f.Op("xor", x.value, f.Const("i1", 1))};
  }
  return std::nullopt;
}

// With small floats as f32.
Result EmitWide(IrFunction& f, const Instruction& i,
                absl::Span<const Element> x) {
  switch (i.opcode()) {
    case Opcode::kCompare:
      return Compare(f, i, x[0], x[1]);
    case Opcode::kClamp: {
      const Result raised = Binary(f, Opcode::kMaximum, x[1], x[0]);
      if (!raised) return std::nullopt;
      return Binary(f, Opcode::kMinimum, *raised, x[2]);
    }
    default:
      return x.size() == 1 ? Unary(f, i, x[0])
                           : Binary(f, i.opcode(), x[0], x[1]);
  }
}

}  // namespace

bool IsArithmetic(Opcode opcode) {
  switch (InfoOf(opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
      return true;
    case OpFamily::kConvert:
      return opcode != Opcode::kStochasticConvert;
    default:
      return opcode == Opcode::kCopy;
  }
}

std::optional<Element> EmitBinary(IrFunction& f, Opcode opcode,
                                  const Element& a, const Element& b) {
  const PrimitiveType type = a.type;
  Result result = Binary(f, opcode, Widen(f, a), Widen(f, b));
  if (result && ComputesInFloat(type)) result = Narrow(f, *result, type);
  return result;
}

std::optional<Element> EmitArithmetic(IrFunction& f, const Instruction& i,
                                      absl::Span<const Element> operands) {
  switch (i.opcode()) {
    case Opcode::kCopy:
      return operands[0];
    case Opcode::kConvert:
      return ConvertElementTo(f, operands[0], i.shape().element_type());
    case Opcode::kBitcastConvert:
      return BitcastConvert(f, operands[0], i.shape().element_type());
    case Opcode::kSelect:
      return Select(f, operands[0].value, operands[1], operands[2]);
    case Opcode::kReducePrecision:
      if (operands[0].type == kF16) return ReducePrecision(f, i, operands[0]);
      break;
    default:
      break;
  }
  absl::InlinedVector<Element, 3> wide;
  for (const Element& x : operands) {
    // Total order looks at the bits; that of f32 agrees for small floats.
    wide.push_back(Widen(f, x));
  }
  Result result = EmitWide(f, i, wide);
  const PrimitiveType type = i.shape().element_type();
  if (result && result->type != type) {
    if (!ComputesInFloat(type)) return std::nullopt;
    result = Narrow(f, *result, type);
  }
  return result;
}

}  // namespace hlokit::cpu
