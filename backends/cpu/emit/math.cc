#include "backends/cpu/emit/math.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hlokit::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The polynomials were fitted for this file: least largest relative error of
// the function that they make.
//
// exp(r) = 1 + r + r^2 q(r) for |r| <= ln(2) / 2.
constexpr double kExpFloat[] = {0.5, 0.166665181517601, 0.04166620597243309,
                                0.008368901908397675, 0.0013950512511655688};
constexpr double kExpDouble[] = {0.5,
                                 0.1666666666666667,
                                 0.04166666666666667,
                                 0.00833333333332614,
                                 0.0013888888888883752,
                                 0.00019841269874804214,
                                 2.4801587325536023e-05,
                                 2.7557255421023506e-06,
                                 2.7557273657975953e-07,
                                 2.5105208339987698e-08,
                                 2.0914680780540267e-09};
// log(1 + f) = f - f^2 / 2 + f^3 p(f) for sqrt(1/2) <= 1 + f <= sqrt(2).
constexpr double kLogFloat[] = {0.3333333134651184,  -0.2500081956386566,
                                0.20001226663589478, -0.16623356938362122,
                                0.14201758801937103, -0.13160182535648346,
                                0.12761574983596802, -0.07634492963552475};
// tanh(x) = x + x^3 p(x^2) for |x| <= 0.6.
constexpr double kTanhDouble[] = {
    -0.3333333333333333,    0.13333333333333205,    -0.05396825396808531,
    0.021869488527368107,   -0.008863235292803289,  0.0035921242500086925,
    -0.0014557958855734635, 0.0005897680994688268,  -0.00023795201383924994,
    9.332432233847448e-05,  -3.208661403793599e-05, 6.934046420988953e-06};

// Floating-point arithmetic of one type, briefly.
class Float {
 public:
  Float(IrFunction& f, const std::string& type)
      : f_(f), type_(type), bits_(type == "float" ? "i32" : "i64") {}

  IrValue Number(double value) { return f_.FloatConst(type_, value); }
  IrValue Add(const IrValue& a, const IrValue& b) {
    return f_.Op("fadd", a, b);
  }
  IrValue Sub(const IrValue& a, const IrValue& b) {
    return f_.Op("fsub", a, b);
  }
  IrValue Mul(const IrValue& a, const IrValue& b) {
    return f_.Op("fmul", a, b);
  }
  // a * b + c, rounded once.
  IrValue Fma(const IrValue& a, const IrValue& b, const IrValue& c) {
    return f_.Intrinsic("llvm.fma", type_, {a, b, c});
  }
  IrValue Polynomial(absl::Span<const double> coefficients, const IrValue& x) {
    IrValue sum = Number(coefficients.back());
    for (size_t k = coefficients.size() - 1; k-- > 0;) {
      sum = Fma(sum, x, Number(coefficients[k]));
    }
    return sum;
  }
  IrValue Bits(const IrValue& x) { return f_.Cast("bitcast", x, bits_); }
  IrValue OfBits(const IrValue& x) { return f_.Cast("bitcast", x, type_); }
  IrValue BitConst(int64_t value) { return f_.Const(bits_, value); }

  // x = n ln(2) + r; the low bits of `shifted` hold n.
  struct Reduced {
    IrValue shifted, n, r;
  };
  Reduced ReduceByLn2(const IrValue& x) {
    const bool single = type_ == "float";
    const IrValue shifter = Number(single ? 0x1.8p23 : 0x1.8p52);
    Reduced reduced;
    reduced.shifted = Fma(x, Number(1.4426950408889634), shifter);
    reduced.n = Sub(reduced.shifted, shifter);
    // ln(2) in two pieces, the first with zeros at its end.
    reduced.r =
        Fma(reduced.n, Number(single ? -0x1.62e4p-1 : -0x1.62e42fefa38p-1), x);
    reduced.r =
        Fma(reduced.n,
            Number(single ? -0x1.7f7d1cf79abcap-20 : -0x1.ef35793c76730p-45),
            reduced.r);
    return reduced;
  }
  // 2^n as what is to be added to the bits of a number.
  IrValue ExponentBits(const IrValue& shifted) {
    return f_.Op("shl", Bits(shifted), BitConst(type_ == "float" ? 23 : 52));
  }
  // exp(r) - 1.
  IrValue SmallExpMinusOne(const IrValue& r) {
    const IrValue q =
        type_ == "float" ? Polynomial(kExpFloat, r) : Polynomial(kExpDouble, r);
    return Fma(Mul(r, r), q, r);
  }

  // exp(x) for results that are normal numbers.
  IrValue ExpOfSafe(const IrValue& x) {
    const Reduced reduced = ReduceByLn2(x);
    const IrValue p = Add(SmallExpMinusOne(reduced.r), Number(1));
    return OfBits(f_.Op("add", Bits(p), ExponentBits(reduced.shifted)));
  }

  IrValue Exp(const IrValue& x) {
    const bool single = type_ == "float";
    const int mantissa = single ? 23 : 52;
    // Where results stop being finite, being normal, and being there at all.
    const double high = single ? 88.72283 : 709.782712893384;
    const double low = single ? -87.33654 : -708.3964185322641;
    const double none = single ? -104 : -746;
    // Denormal results are made as normal ones, 2^lift times as large.
    constexpr int64_t kLift = 64;
    const IrValue denormal = f_.CompareFloat("olt", x, Number(low));
    const IrValue lift =
        f_.Select(denormal, BitConst(kLift << mantissa), BitConst(0));
    const IrValue drop =
        f_.Select(denormal, Number(std::ldexp(1, -kLift)), Number(1));
    const IrValue finite =
        Mul(OfBits(f_.Op("add", Bits(ExpOfSafe(x)), lift)), drop);
    // Infinity, or NaN.
    const IrValue above = Mul(x, Number(kInfinity));
    return f_.Select(
        f_.CompareFloat("olt", x, Number(none)), Number(0),
        f_.Select(f_.CompareFloat("ole", x, Number(high)), finite, above));
  }

  // log of float, also of denormals where they count as zero elsewhere.
  IrValue Log(const IrValue& x) {
    // x = 2^e * (1 + t).
    constexpr int64_t kRootHalf = 0x3f3504f3;
    const PositiveNormal normal = NormalOf(x);
    const IrValue bits = f_.Op("sub", Bits(normal.x), BitConst(kRootHalf));
    const IrValue e = Add(
        f_.Cast("sitofp", f_.Op("ashr", bits, BitConst(23)), type_),
        f_.Select(normal.scaled, Number(-kLeastFloat), Number(0)));
    const IrValue mantissa = OfBits(f_.Op(
        "add", f_.Op("and", bits, BitConst(0x7fffff)), BitConst(kRootHalf)));
    const IrValue t = Sub(mantissa, Number(1));
    const IrValue square = Mul(t, t);
    IrValue sum = Mul(Mul(square, t), Polynomial(kLogFloat, t));
    sum = Fma(e, Number(-0x1.bd0105c610ca8p-13), sum);
    sum = Fma(square, Number(-0.5), sum);
    sum = Fma(e, Number(0x1.63p-1), Add(sum, t));
    // Infinity and NaN stay as they are.
    return f_.Select(f_.CompareFloat("olt", x, Number(kInfinity)),
                     LogWhereDefined(x, sum), x);
  }

  // log by the C library's function, which sees denormals as numbers only
  // where the processor does.
  IrValue LogByCall(const IrValue& x) {
    const PositiveNormal normal = NormalOf(x);
    const double least = type_ == "float" ? kLeastFloat : kLeastDouble;
    constexpr double kLn2 = 0.693147180559945309;
    const IrValue log = f_.Math("log", {normal.x});
    const IrValue scaled = Add(log, Number(-least * kLn2));
    return LogWhereDefined(x, f_.Select(normal.scaled, scaled, log));
  }

  // The lesser of x and `most`; NaN stays.
  IrValue AtMost(const IrValue& x, double most) {
    const IrValue limit = Number(most);
    return f_.Select(f_.CompareFloat("olt", limit, x), limit, x);
  }

  // Of float: e / (e + 1), where e = (exp(2 |x|) - 1) / 2. The loop waits for
  // one operation after the other: so few of them follow one another here, and
  // few constants are needed, for those that find no register are loaded for
  // every vector.
  IrValue TanhSingle(const IrValue& x) {
    const IrValue sign = f_.Op("and", Bits(x), BitConst(INT32_MIN));
    const IrValue magnitude = OfBits(f_.Op("xor", Bits(x), sign));
    // From there on the result is 1.
    const IrValue limited = AtMost(magnitude, 10);
    // limited = n ln(2) / 2 + r. Half of ln(2) is 3e-9 from a float, which
    // leaves the result as it is.
    constexpr double kHalfLn2 = 0.34657359027997264;
    const IrValue shifter = Number(0x1.8p23);
    const IrValue shifted = Fma(limited, Number(1 / kHalfLn2), shifter);
    const IrValue r = Fma(Sub(shifted, shifter), Number(-kHalfLn2), limited);
    const IrValue scale =
        OfBits(f_.Op("add", Bits(Number(1)), ExponentBits(shifted)));
    // (exp(2 r) - 1) / 2 = r + r^2 (2 q(2 r)).
    const auto coefficient = [&](int k) {
      return Number(std::ldexp(kExpFloat[k], k + 1));
    };
    const IrValue square = Mul(r, r);
    const IrValue q =
        Fma(Fma(coefficient(4), square, Fma(coefficient(3), r, coefficient(2))),
            square, Fma(coefficient(1), r, coefficient(0)));
    const IrValue e =
        Fma(scale, Fma(square, q, r), Fma(scale, Number(0.5), Number(-0.5)));
    return OfBits(f_.Op("or", Bits(f_.Op("fdiv", e, Add(e, Number(1)))), sign));
  }

  // Of double, where that is not exact enough.
  IrValue TanhDouble(const IrValue& x) {
    const IrValue square = Mul(x, x);
    const IrValue small =
        Fma(Mul(square, x), Polynomial(kTanhDouble, square), x);
    const IrValue magnitude = f_.Intrinsic("llvm.fabs", type_, {x});
    const IrValue decay = ExpOfSafe(Mul(AtMost(magnitude, 20), Number(-2)));
    const IrValue large =
        f_.Op("fdiv", Sub(Number(1), decay), Add(Number(1), decay));
    return f_.Intrinsic(
        "llvm.copysign", type_,
        {f_.Select(f_.CompareFloat("ule", magnitude, Number(0.6)), small,
                   large),
         x});
  }

 private:
  // The least positive numbers are 2^-149 and 2^-1074.
  static constexpr double kLeastFloat = 149;
  static constexpr double kLeastDouble = 1074;

  // A positive denormal as the number of least numbers in it (`scaled`); others
  // as they are. Found by bits, whatever the processor takes denormals for.
  struct PositiveNormal {
    IrValue x, scaled;
  };
  PositiveNormal NormalOf(const IrValue& x) {
    const int mantissa = type_ == "float" ? 23 : 52;
    const IrValue bits = Bits(x);
    const IrValue scaled =
        f_.Compare("ult", f_.Op("sub", bits, BitConst(1)),
                   BitConst((int64_t{1} << mantissa) - 1));
    return {f_.Select(scaled, f_.Cast("sitofp", bits, type_), x), scaled};
  }

  // `log` where x is above zero; -inf for zeros, NaN below them.
  IrValue LogWhereDefined(const IrValue& x, const IrValue& log) {
    const IrValue bits = Bits(x);
    const IrValue is_zero =
        f_.Compare("eq", f_.Op("shl", bits, BitConst(1)), BitConst(0));
    const IrValue outside =
        f_.Select(is_zero, Number(-kInfinity),
                  Number(std::numeric_limits<double>::quiet_NaN()));
    return f_.Select(f_.Compare("sgt", bits, BitConst(0)), log, outside);
  }

  IrFunction& f_;
  const std::string type_;
  const std::string bits_;
};

// What functions make of denormals that count as zero (docs/numerics.md): these
// return x itself,
bool KeepsTiny(absl::string_view name, absl::string_view type) {
  return name == "expm1" || name == "sin" || name == "tan" ||
         (name == "tanh" && type == "float");
}
// and these the function of zero.
bool FlushesOperand(absl::string_view name) {
  return name == "asin" || name == "asinh" || name == "atanh" ||
         name == "cbrt" || name == "erf" || name == "log1p" ||
         name == "sinh" || name == "tanh";
}

// `result`, or x where it is so small that it is the result itself.
IrValue TinyOr(IrFunction& f, const IrValue& x, const IrValue& result) {
  const IrValue tiny =
      f.CompareFloat("olt", f.Intrinsic("llvm.fabs", x.type, {x}),
                     f.FloatConst(x.type, 0x1p-60));
  return f.Select(tiny, x, result);
}

bool HasFma(Isa isa) {
#if defined(__x86_64__)
  return isa >= Isa::kAvx2;
#else
  return true;
#endif
}

// 1 / (1 + exp(-x)), by the exponential that does not grow: so that what is
// nearly zero keeps its digits.
IrValue Logistic(IrFunction& f, const IrValue& x) {
  const IrValue one = f.FloatConst(x.type, 1);
  const IrValue decay =
      EmitMath(f, "exp", {f.Op("fneg", f.Intrinsic("llvm.fabs", x.type, {x}))});
  const IrValue top =
      f.Select(f.CompareFloat("olt", x, f.FloatConst(x.type, 0)), decay, one);
  const IrValue sum = f.Op("fadd", decay, one);
  const IrValue quotient = f.Op("fdiv", top, sum);
  if (x.type == "float" || !HasFma(f.module().isa())) return quotient;
  // What the sum and the quotient lost in rounding.
  const IrValue lost = f.Op("fsub", decay, f.Op("fsub", sum, one));
  const IrValue minus = f.Op("fneg", quotient);
  const auto fma = [&](const IrValue& a, const IrValue& b, const IrValue& c) {
    return f.Intrinsic("llvm.fma", x.type, {a, b, c});
  };
  const IrValue rest = fma(minus, lost, fma(minus, sum, top));
  return f.Op("fadd", quotient, f.Op("fdiv", rest, sum));
}

struct WrittenOut {
  absl::string_view name;
  absl::string_view type;
  IrValue (Float::*emit)(const IrValue& x);
};
constexpr WrittenOut kWrittenOut[] = {{"exp", "float", &Float::Exp},
                                      {"exp", "double", &Float::Exp},
                                      {"log", "float", &Float::Log},
                                      {"tanh", "float", &Float::TanhSingle},
                                      {"tanh", "double", &Float::TanhDouble}};

IrValue Function(IrFunction& f, absl::string_view name,
                 absl::Span<const IrValue> arguments) {
  const IrValue& x = arguments[0];
  const bool has_fma = HasFma(f.module().isa());
  for (const WrittenOut& function : kWrittenOut) {
    if (has_fma && function.name == name && function.type == x.type) {
      return (Float(f, x.type).*function.emit)(x);
    }
  }
  if (name == "log") return Float(f, x.type).LogByCall(x);
  if (FlushesOperand(name)) return f.Math(name, {Flushed(f, x)});
  return f.Math(name, arguments);
}

}  // namespace

IrValue Flushed(IrFunction& f, const IrValue& x) {
  const IrValue zero =
      f.Intrinsic("llvm.copysign", x.type, {f.FloatConst(x.type, 0), x});
  return f.Select(f.CompareFloat("oeq", x, zero), zero, x);
}

IrValue EmitMath(IrFunction& f, absl::string_view name,
                 absl::Span<const IrValue> arguments) {
  if (name == "logistic") return Logistic(f, arguments[0]);
  const IrValue result = Function(f, name, arguments);
  return KeepsTiny(name, arguments[0].type) ? TinyOr(f, arguments[0], result)
                                            : result;
}

}  // namespace hlokit::cpu
