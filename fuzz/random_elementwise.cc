#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/interpreter/elementwise.h"
#include "fuzz/random_generator.h"
#include "hlo/ir/opcode.h"
#include "hlo/verify/shape_inference.h"

namespace hlokit {
namespace {

bool IsReal(const RandomValue& x) {
  return IsFloatType(x.type()) && x.type() != kF8E8M0FNU && !x.raw;
}
bool IsIntegral(PrimitiveType type) {
  return IsIntegerType(type) || type == kPred;
}

// Whether the operation may be applied to that type.
bool IsTyped(Opcode opcode, PrimitiveType type) {
  const Shape scalar = Shape::Scalar(type);
  const Shape* operands[] = {&scalar, &scalar};
  const AttributeSet attrs;
  InferenceInput input;
  input.opcode = opcode;
  input.operands = absl::MakeConstSpan(operands, InfoOf(opcode).arity);
  input.attrs = &attrs;
  const auto shape = InferShape(input);
  return shape.ok() && shape->element_type() == type;
}

// Opcodes of a family that are defined on a type.
std::vector<Opcode> OpcodesOf(OpFamily family, PrimitiveType type) {
  std::vector<Opcode> list;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const Opcode opcode = static_cast<Opcode>(k);
    if (InfoOf(opcode).family != family || opcode == Opcode::kReducePrecision) {
      continue;
    }
    const auto function =
        family == OpFamily::kUnary
            ? interpreter::UnaryFunction(opcode, type)
            : interpreter::BinaryFunction(opcode, type);
    if (function && function.result_type == type && IsTyped(opcode, type)) {
      list.push_back(opcode);
    }
  }
  return list;
}

// Nothing is rounded and nothing is lost: exact on exact values.
constexpr Opcode kSingleSteps[] = {Opcode::kNegate, Opcode::kAbs};
// Jumps: on exact values only.
constexpr Opcode kJumps[] = {Opcode::kFloor, Opcode::kCeil,
                             Opcode::kRoundNearestAfz,
                             Opcode::kRoundNearestEven, Opcode::kSign};

// Functions whose slope is at most `slope` where the argument is within
// [-limit, limit]; their results are within `bound` there.
struct Smooth {
  Opcode opcode;
  double limit, slope, bound;
};
constexpr double kNoLimit = 1e30;
constexpr Smooth kSmooth[] = {
    {Opcode::kTanh, kNoLimit, 1, 1},
    {Opcode::kSine, 100, 1, 1},
    {Opcode::kCosine, 100, 1, 1},
    {Opcode::kLogistic, kNoLimit, 1, 1},
    {Opcode::kErf, kNoLimit, 1.2, 1},
    {Opcode::kAsinh, 1000, 1, 8},
    {Opcode::kExponential, 3, 21, 21},
    {Opcode::kExponentialMinusOne, 3, 21, 20},
    {Opcode::kSinh, 3, 11, 11},
    {Opcode::kCosh, 3, 11, 11},
    {Opcode::kTan, 1, 4, 2},
    {Opcode::kAtanh, 0.75, 3, 1},
    {Opcode::kAsin, 0.75, 2, 1},
    {Opcode::kAcos, 0.75, 2, 3}};
// The same for arguments from 1 on; results are at most the argument.
constexpr Opcode kSmoothFromOne[] = {Opcode::kLog, Opcode::kLogPlusOne,
                                     Opcode::kSqrt, Opcode::kRsqrt,
                                     Opcode::kCbrt};

}  // namespace

RandomValue RandomGenerator::AbsPlusOne(const RandomValue& x) {
  Instruction* one = Number(x.type(), x.dims(), 1).at;
  return Rounded(b().Add(b().Unary(Opcode::kAbs, x.at), one), x.bound + 1,
                 x.error, x.integral);
}

RandomGenerator::Made RandomGenerator::Unary() {
  const Made x = Any([](const RandomValue& v) {
    return IsReal(v) || IsIntegral(v.type());
  });
  if (!x.has_value()) return std::nullopt;
  if (IsReal(*x)) return FloatUnary(*x);
  const auto opcodes = OpcodesOf(OpFamily::kUnary, x->type());
  if (opcodes.empty()) return std::nullopt;
  return Exact(b().Unary(OneOf(opcodes), x->at));
}

RandomGenerator::Made RandomGenerator::FloatUnary(const RandomValue& x) {
  const PrimitiveType type = x.type();
  const auto known = [&](Opcode opcode) {
    return static_cast<bool>(interpreter::UnaryFunction(opcode, type));
  };
  const int64_t kind = Draw(10);
  if (kind < 2) {
    const Opcode opcode = kSingleSteps[Draw(2)];
    if (!known(opcode)) return std::nullopt;
    RandomValue result = Moved(x, b().Unary(opcode, x.at));
    result.known_signs = false;
    return result;
  }
  if (kind < 4 && x.exact()) {
    const Opcode opcode = kJumps[Draw(std::size(kJumps))];
    if (!known(opcode)) return std::nullopt;
    // One more than the bound may not be in a narrow type.
    if (!Fits(type, x.bound + 1)) return std::nullopt;
    RandomValue result = Moved(x, b().Unary(opcode, x.at));
    result.bound = std::ceil(x.bound);
    result.known_signs = false;
    result.integral = !x.special;
    return result;
  }
  if (kind == 4 && x.exact()) {
    return Exact(b().Unary(Opcode::kIsFinite, x.at));
  }
  if (kind == 5 && x.exact() && (type == kF32 || type == kF64)) {
    AttributeSet attrs;
    attrs.Set(AttrId::kExponentBits, int64_t{5} + Draw(4));
    attrs.Set(AttrId::kMantissaBits, int64_t{2} + Draw(10));
    RandomValue result = Moved(
        x, b().OpOfShape(Opcode::kReducePrecision, x.at->shape(), {x.at},
                         std::move(attrs)));
    result.bound = x.bound * 1.5;
    result.known_signs = false;
    return result;
  }
  if (kind == 6 && !x.special) {
    const Opcode opcode = kSmoothFromOne[Draw(std::size(kSmoothFromOne))];
    if (!known(opcode) || !Fits(type, x.bound + 1)) return std::nullopt;
    const RandomValue y = AbsPlusOne(x);
    return Rounded(b().Unary(opcode, y.at), y.bound, y.error, false);
  }
  if (kind == 7 && x.error == 0) {
    // Anywhere, also where the function has no value.
    const auto opcodes = OpcodesOf(OpFamily::kUnary, type);
    if (opcodes.empty() || !Fits(type, 4)) return std::nullopt;
    const Opcode opcode = OneOf(opcodes);
    RandomValue y = Exact(b().Unary(opcode, x.at));
    y.special = true;
    y.error = RoundingOf(type, 8);
    return Clamped(y, 4);
  }
  const Smooth& f = kSmooth[Draw(std::size(kSmooth))];
  RandomValue y = x;
  if (!known(f.opcode) || !Fits(type, f.bound)) return std::nullopt;
  if (y.bound > f.limit || y.special) {
    if (!Fits(type, f.limit)) return std::nullopt;
    // NaN stays; infinities do not.
    y = Clamped(y, f.limit < 1 ? f.limit : std::min(f.limit, 4.0));
    if (f.limit < 1) {
      y = Moved(y, b().Binary(Opcode::kMaximum, y.at,
                              Number(type, y.dims(), -f.limit).at));
    }
  }
  RandomValue result = Rounded(b().Unary(f.opcode, y.at), f.bound,
                               y.error * f.slope, false);
  result.special = y.special;
  return result;
}

RandomGenerator::Made RandomGenerator::Binary() {
  const Made x = Any([](const RandomValue& v) {
    return (IsReal(v) && !v.special) || IsIntegral(v.type());
  });
  if (!x.has_value()) return std::nullopt;
  if (IsReal(*x)) return FloatBinary(*x);
  const auto opcodes = OpcodesOf(OpFamily::kBinary, x->type());
  if (opcodes.empty()) return std::nullopt;
  const RandomValue y = Get(x->type(), x->dims());
  const bool swap = Chance(30);
  return Exact(b().Binary(OneOf(opcodes), swap ? y.at : x->at,
                          swap ? x->at : y.at));
}

RandomGenerator::Made RandomGenerator::FloatBinary(const RandomValue& x) {
  const PrimitiveType type = x.type();
  const RandomValue y =
      Get(type, x.dims(), [](const RandomValue& v) { return v.tame(); });
  const bool integral = x.integral && y.integral;
  switch (Draw(10)) {
    case 0:
    case 1:
    case 2: {
      if (!Fits(type, x.bound + y.bound)) return std::nullopt;
      const Opcode opcode = Chance(60) ? Opcode::kAdd : Opcode::kSubtract;
      return Rounded(b().Binary(opcode, x.at, y.at), x.bound + y.bound,
                     x.error + y.error, integral);
    }
    case 3:
    case 4: {
      const double bound = x.bound * y.bound;
      if (!Fits(type, bound)) return std::nullopt;
      return Rounded(b().Multiply(x.at, y.at), bound,
                     x.bound * y.error + y.bound * x.error, integral);
    }
    case 5:
    case 6: {
      RandomValue result = Merged(
          x, y,
          b().Binary(Chance(50) ? Opcode::kMaximum : Opcode::kMinimum, x.at,
                     y.at));
      result.known_signs = false;
      return result;
    }
    case 7: {
      if (!Fits(type, y.bound + 1)) return std::nullopt;
      const RandomValue divisor = AbsPlusOne(y);
      const bool atan2 = Chance(30) && x.bound < 50;
      return Rounded(
          b().Binary(atan2 ? Opcode::kAtan2 : Opcode::kDivide, x.at,
                     divisor.at),
          std::max(x.bound, 2.0), x.error + divisor.error * std::max(1.0, x.bound),
          false);
    }
    case 8: {
      if (!x.exact() || !y.exact() || !Fits(type, std::max(x.bound, y.bound))) {
        return std::nullopt;
      }
      RandomValue result =
          Exact(b().Binary(Opcode::kRemainder, x.at, y.at), x.bound);
      result.special = true;
      return result;
    }
    default: {
      if (!Fits(type, 25) || x.bound > 4 || y.special) return std::nullopt;
      const RandomValue base = AbsPlusOne(x);
      const RandomValue exponent = Clamped(y, 2);
      return Rounded(b().Binary(Opcode::kPower, base.at, exponent.at), 25,
                     10 * base.error + 41 * exponent.error, false);
    }
  }
}

RandomGenerator::Made RandomGenerator::ComplexStep() {
  if (Chance(40)) {
    const Made x = Any([](const RandomValue& v) {
      return v.type() == kF32 || v.type() == kF64;
    });
    if (!x.has_value() || x->raw) return std::nullopt;
    const RandomValue y = Get(x->type(), x->dims(), [](const RandomValue& v) {
      return !v.raw;
    });
    return Merged(*x, y, b().Binary(Opcode::kComplex, x->at, y.at));
  }
  const Made x = Any([](const RandomValue& v) {
    return IsComplexType(v.type()) && !v.raw;
  });
  if (!x.has_value()) return std::nullopt;
  if (x->special || Chance(30)) {
    return Moved(*x, b().Unary(Chance(50) ? Opcode::kReal : Opcode::kImag,
                               x->at));
  }
  const RandomValue y = Get(x->type(), x->dims(), [](const RandomValue& v) {
    return v.tame();
  });
  const auto unary = [&](const RandomValue& v, Opcode opcode, double bound,
                         double slope) {
    return Rounded(b().Unary(opcode, v.at), bound,
                   slope * v.error + RoundingOf(v.type(), 4 * bound), false);
  };
  switch (Draw(9)) {
    case 0:
      return Rounded(b().Binary(Chance(50) ? Opcode::kAdd : Opcode::kSubtract,
                                x->at, y.at),
                     x->bound + y.bound, x->error + y.error,
                     x->integral && y.integral);
    case 1:
    case 2: {
      const double bound = 2 * x->bound * y.bound;
      if (!Fits(x->type(), bound) || bound > 50) return std::nullopt;
      return Rounded(b().Multiply(x->at, y.at), bound,
                     2 * (x->bound * y.error + y.bound * x->error),
                     x->integral && y.integral);
    }
    case 3: {
      RandomValue result = Moved(*x, b().Unary(Opcode::kNegate, x->at));
      result.known_signs = false;
      return result;
    }
    case 4:
      return unary(*x, Opcode::kAbs, 1.5 * x->bound, 2);
    case 5:
      if (x->bound > 3) return std::nullopt;
      return unary(*x, Chance(50) ? Opcode::kExponential
                                  : Opcode::kExponentialMinusOne,
                   21, 30);
    case 6:
      if (x->bound > 3) return std::nullopt;
      return unary(*x, Chance(50) ? Opcode::kSine : Opcode::kCosine, 11, 15);
    default: {
      // The real part 1 at least.
      RandomValue re = Moved(*x, b().Unary(Opcode::kReal, x->at));
      re = AbsPlusOne(re);
      const RandomValue z = Merged(
          re, *x,
          b().Binary(Opcode::kComplex, re.at, b().Unary(Opcode::kImag, x->at)));
      if (Chance(40)) {
        return Rounded(b().Divide(y.at, z.at), 2 * y.bound,
                       2 * (y.error + z.error * 3 * std::max(y.bound, 1.0)) +
                           RoundingOf(y.type(), 8 * y.bound),
                       false);
      }
      static constexpr Opcode kFunctions[] = {Opcode::kLog, Opcode::kSqrt,
                                              Opcode::kRsqrt,
                                              Opcode::kLogPlusOne};
      return unary(z, kFunctions[Draw(4)], std::max(4.0, z.bound * 1.5), 2);
    }
  }
}

RandomGenerator::Made RandomGenerator::Compare() {
  const auto exact = [](const RandomValue& v) { return v.exact(); };
  const Made x = Any(exact);
  if (!x.has_value()) return std::nullopt;
  const RandomValue y = Get(x->type(), x->dims(), exact);
  const auto direction = static_cast<ComparisonDirection>(
      Draw(IsComplexType(x->type()) ? 2 : 6));
  if (IsFloatType(x->type()) && x->known_signs && y.known_signs &&
      Chance(40)) {
    return Exact(b().CompareOfType(direction, ComparisonType::kFloatTotalOrder,
                                   x->at, y.at));
  }
  return Exact(b().Compare(direction, x->at, y.at));
}

RandomGenerator::Made RandomGenerator::Select() {
  const Made x = Any();
  if (!x.has_value()) return std::nullopt;
  const RandomValue y = Get(x->type(), x->dims());
  const bool whole = x->rank() > 0 && Chance(15);
  const RandomValue pred = whole ? Get(kPred, {}) : Get(kPred, x->dims());
  Instruction* p = pred.at;
  if (whole) p = b().BroadcastScalar(p, x->dims());
  return Merged(*x, y, b().Select(p, x->at, y.at));
}

RandomGenerator::Made RandomGenerator::ClampStep() {
  const Made x = Any([](const RandomValue& v) {
    return (IsReal(v) || IsIntegerType(v.type())) && !v.raw;
  });
  if (!x.has_value()) return std::nullopt;
  const bool scalars = Chance(50);
  const auto tame = [](const RandomValue& v) { return v.tame(); };
  const RandomValue low = Get(x->type(), scalars ? Int64List() : Int64List(x->dims().begin(), x->dims().end()), tame);
  const RandomValue high = Get(x->type(), scalars ? Int64List() : Int64List(x->dims().begin(), x->dims().end()), tame);
  RandomValue result =
      Merged(Merged(*x, low, nullptr), high,
             b().Clamp(low.at, x->at, high.at));
  result.known_signs = false;
  return result;
}

RandomGenerator::Made RandomGenerator::Convert() {
  const Made x = Any([](const RandomValue& v) { return !v.raw; });
  if (!x.has_value()) return std::nullopt;
  PrimitiveType to = Type();
  const PrimitiveType from = x->type();
  if (to == from || (IsComplexType(from) && !IsComplexType(to))) {
    return std::nullopt;
  }
  const bool from_float = IsFloatType(from) || IsComplexType(from);
  const bool to_float = IsFloatType(to) || IsComplexType(to);
  if (!to_float) {
    if (!x->exact()) return std::nullopt;
    return Exact(b().Convert(x->at, to));
  }
  const int to_bits = SignificandBits(ComponentType(to));
  if (!from_float) {
    if (to == kF8E8M0FNU) return std::nullopt;
    Instruction* small = x->at;
    double bound = from == kPred ? 1 : std::ldexp(1, BitWidth(from));
    if (bound > LimitOf(to) || (bound > std::ldexp(1, to_bits) && Chance(70))) {
      const int64_t most = static_cast<int64_t>(
          std::min({LimitOf(to), 7.0, std::ldexp(1, BitWidth(from) - 1) - 1}));
      if (most < 1) return std::nullopt;
      small = b().Clamp(b().ScalarInt(from, IsSignedIntType(from) ? -most : 0),
                        small, b().ScalarInt(from, most));
      bound = most;
    }
    RandomValue result = Exact(b().Convert(small, to), bound);
    result.integral = bound <= std::ldexp(1, to_bits);
    result.error = result.integral ? 0 : RoundingOf(to, bound);
    result.known_signs = true;
    return result;
  }
  const int from_bits = SignificandBits(ComponentType(from));
  if (from == kF8E8M0FNU || to == kF8E8M0FNU) {
    if (!x->exact() || from != kF8E8M0FNU || to_bits < 8 || !Fits(to, x->bound)) {
      return std::nullopt;
    }
    return Moved(*x, b().Convert(x->at, to));
  }
  if (!Fits(to, x->bound)) return std::nullopt;
  // Types without infinities make something else of them.
  if (x->special && to_bits < 8) return std::nullopt;
  if (to_bits >= from_bits && LimitOf(to) >= LimitOf(from)) {
    return Moved(*x, b().Convert(x->at, to));
  }
  RandomValue result = Rounded(b().Convert(x->at, to), x->bound, x->error,
                               x->integral);
  result.special = x->special;
  return result;
}

RandomGenerator::Made RandomGenerator::BitcastConvert() {
  const Made x = Any([](const RandomValue& v) {
    return v.exact() && !v.special && !IsComplexType(v.type()) &&
           v.type() != kPred && BitWidth(v.type()) >= 8 &&
           (IsIntegerType(v.type()) || v.known_signs);
  });
  if (!x.has_value()) return std::nullopt;
  const PrimitiveType to = Type();
  const int from_bits = BitWidth(x->type()), to_bits = BitWidth(to);
  if (to_bits < 8 || to == kPred || IsComplexType(to) || to == x->type()) {
    return std::nullopt;
  }
  Int64List dims(x->dims().begin(), x->dims().end());
  if (to_bits < from_bits) {
    dims.push_back(from_bits / to_bits);
    if (!Acceptable(dims)) return std::nullopt;
  } else if (to_bits > from_bits) {
    if (dims.empty() || dims.back() != to_bits / from_bits) return std::nullopt;
    dims.pop_back();
  }
  RandomValue result = Exact(
      b().OpOfShape(Opcode::kBitcastConvert,
                    Shape::ArrayWithDescendingLayout(to, dims), {x->at}));
  result.raw = IsFloatType(to);
  return result;
}

}  // namespace hlokit
