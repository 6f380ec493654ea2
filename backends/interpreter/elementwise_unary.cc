#include <cmath>
#include <complex>
#include <type_traits>

#include "backends/interpreter/complex_functions.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/float_functions.h"
#include "backends/interpreter/integer_functions.h"
#include "backends/interpreter/kernels.h"
#include "backends/log_denormals.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// Each operation is a struct of overloads for the types that it takes.
#define HLOKIT_FLOAT_FUNCTION(Name, function) \
  struct Name {                               \
    template <Float T>                        \
    static T Of(T x) {                        \
      return function(x);                     \
    }                                         \
  };
#define HLOKIT_FLOAT_COMPLEX_FUNCTION(Name, function, complex_function) \
  struct Name {                                                         \
    template <Float T>                                                  \
    static T Of(T x) {                                                  \
      return function(x);                                               \
    }                                                                   \
    template <Float T>                                                  \
    static std::complex<T> Of(std::complex<T> x) {                      \
      return complex_function(x);                                       \
    }                                                                   \
  };

template <typename T>
T Rsqrt(T x) {
  return 1 / std::sqrt(x);
}

// std::rint, but in every rounding mode to nearest.
inline float HalfToEven(float x) { return __builtin_roundevenf(x); }
inline double HalfToEven(double x) { return __builtin_roundeven(x); }

HLOKIT_FLOAT_COMPLEX_FUNCTION(Acos, std::acos, ComplexAcos)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Acosh, std::acosh, ComplexAcosh)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Asin, FloatAsin, ComplexAsin)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Asinh, FloatAsinh, ComplexAsinh)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Atanh, FloatAtanh, ComplexAtanh)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Cosh, std::cosh, ComplexCosh)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Cosine, std::cos, ComplexCos)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Exponential, std::exp, ComplexExp)
HLOKIT_FLOAT_COMPLEX_FUNCTION(ExponentialMinusOne, FloatExpm1, ComplexExpm1)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Log, FloatLog, ComplexLog)
HLOKIT_FLOAT_COMPLEX_FUNCTION(LogOfMany, FloatLogOfMany, ComplexLog)
HLOKIT_FLOAT_COMPLEX_FUNCTION(LogPlusOne, FloatLog1p, ComplexLog1p)
HLOKIT_FLOAT_COMPLEX_FUNCTION(LogisticOp, Logistic, ComplexLogistic)
HLOKIT_FLOAT_COMPLEX_FUNCTION(RsqrtOp, Rsqrt, ComplexRsqrt)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Sine, FloatSin, ComplexSin)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Sinh, FloatSinh, ComplexSinh)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Sqrt, std::sqrt, ComplexSqrt)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Tan, FloatTan, ComplexTan)
HLOKIT_FLOAT_COMPLEX_FUNCTION(Tanh, FloatTanh, ComplexTanh)
HLOKIT_FLOAT_FUNCTION(Cbrt, FloatCbrt)
HLOKIT_FLOAT_FUNCTION(Ceil, std::ceil)
HLOKIT_FLOAT_FUNCTION(Erf, FloatErf)
HLOKIT_FLOAT_FUNCTION(Floor, std::floor)
HLOKIT_FLOAT_FUNCTION(RoundAfz, std::round)
HLOKIT_FLOAT_FUNCTION(RoundEven, HalfToEven)
#undef HLOKIT_FLOAT_FUNCTION
#undef HLOKIT_FLOAT_COMPLEX_FUNCTION

struct Abs {
  template <Integer T>
  static T Of(T x) {
    return IntegerAbs(x);
  }
  template <Float T>
  static T Of(T x) {
    return std::fabs(x);
  }
  template <Float T>
  static T Of(std::complex<T> x) {
    return ComplexAbs(x);
  }
};

struct Negate {
  template <Integer T>
  static T Of(T x) {
    return IntegerNegate(x);
  }
  template <Float T>
  static T Of(T x) {
    return -x;
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> x) {
    return -x;
  }
};

struct Sign {
  template <Integer T>
  static T Of(T x) {
    return IntegerSign(x);
  }
  template <Float T>
  static T Of(T x) {
    return FloatSign(x);
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> x) {
    return ComplexSign(x);
  }
};

struct Real {
  template <Float T>
  static T Of(T x) {
    return x;
  }
  template <Float T>
  static T Of(std::complex<T> x) {
    return x.real();
  }
};

struct Imag {
  template <Float T>
  static T Of(T) {
    return 0;
  }
  template <Float T>
  static T Of(std::complex<T> x) {
    return x.imag();
  }
};

struct IsFiniteOp {
  template <Float T>
  static bool Of(T x) {
    return std::isfinite(x);
  }
};

struct Not {
  template <typename T>
    requires std::is_same_v<T, bool>
  static T Of(T x) {
    return !x;
  }
  template <Integer T>
  static T Of(T x) {
    return IntegerOfBits<T>(~BitsOf(x));
  }
};

struct CountLeadingZeros {
  template <Integer T>
  static T Of(T x) {
    return IntegerLeadingZeros(x);
  }
};

struct Popcnt {
  template <Integer T>
  static T Of(T x) {
    return IntegerPopcount(x);
  }
};

template <typename Op, typename T>
void UnaryLoop(const char* const* inputs, char* output, int64_t count) {
  using Result = decltype(Op::Of(std::declval<T>()));
  const T* x = reinterpret_cast<const T*>(inputs[0]);
  Result* out = reinterpret_cast<Result*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Op::Of(x[i]);
}

// Small float types with a result of their own kind encode it again; is-finite
// gives pred.
template <typename Op>
ElementFunction FindUnary(PrimitiveType type) {
  return DispatchArrayType(LoopType(type), [&](auto tag) -> ElementFunction {
    using T = typename decltype(tag)::type;
    if constexpr (requires(T x) { Op::Of(x); }) {
      constexpr PrimitiveType kResult =
          PrimitiveTypeOf<decltype(Op::Of(std::declval<T>()))>();
      const bool same = kResult == LoopType(type);
      return MakeElementFunction(&UnaryLoop<Op, T>, 1, type,
                                 same ? type : kResult);
    } else {
      return {};
    }
  });
}

}  // namespace

ElementFunction UnaryFunction(Opcode opcode, PrimitiveType type) {
  if (!IsArrayType(type)) return {};
  switch (opcode) {
#define HLOKIT_UNARY(opcode, Op) \
  case Opcode::opcode:           \
    return FindUnary<Op>(type);
    HLOKIT_UNARY(kAbs, Abs)
    HLOKIT_UNARY(kAcos, Acos)
    HLOKIT_UNARY(kAcosh, Acosh)
    HLOKIT_UNARY(kAsin, Asin)
    HLOKIT_UNARY(kAsinh, Asinh)
    HLOKIT_UNARY(kAtanh, Atanh)
    HLOKIT_UNARY(kCbrt, Cbrt)
    HLOKIT_UNARY(kCeil, Ceil)
    HLOKIT_UNARY(kCosh, Cosh)
    HLOKIT_UNARY(kCosine, Cosine)
    HLOKIT_UNARY(kCountLeadingZeros, CountLeadingZeros)
    HLOKIT_UNARY(kErf, Erf)
    HLOKIT_UNARY(kExponential, Exponential)
    HLOKIT_UNARY(kExponentialMinusOne, ExponentialMinusOne)
    HLOKIT_UNARY(kFloor, Floor)
    HLOKIT_UNARY(kImag, Imag)
    HLOKIT_UNARY(kIsFinite, IsFiniteOp)
    HLOKIT_UNARY(kLog, Log)
    HLOKIT_UNARY(kLogPlusOne, LogPlusOne)
    HLOKIT_UNARY(kLogistic, LogisticOp)
    HLOKIT_UNARY(kNegate, Negate)
    HLOKIT_UNARY(kNot, Not)
    HLOKIT_UNARY(kPopcnt, Popcnt)
    HLOKIT_UNARY(kReal, Real)
    HLOKIT_UNARY(kRoundNearestAfz, RoundAfz)
    HLOKIT_UNARY(kRoundNearestEven, RoundEven)
    HLOKIT_UNARY(kRsqrt, RsqrtOp)
    HLOKIT_UNARY(kSign, Sign)
    HLOKIT_UNARY(kSine, Sine)
    HLOKIT_UNARY(kSinh, Sinh)
    HLOKIT_UNARY(kSqrt, Sqrt)
    HLOKIT_UNARY(kTan, Tan)
    HLOKIT_UNARY(kTanh, Tanh)
#undef HLOKIT_UNARY
    default:
      return {};
  }
}

absl::StatusOr<Literal> EvalUnary(Context& context,
                                  const Instruction& instruction,
                                  absl::Span<const Literal* const> operands) {
  const PrimitiveType type = operands[0]->element_type();
  const bool log_of_many = instruction.opcode() == Opcode::kLog &&
                           operands[0]->element_count() >= kLogFlushesFrom;
  const ElementFunction function =
      log_of_many && IsArrayType(type)
          ? FindUnary<LogOfMany>(type)
          : UnaryFunction(instruction.opcode(), type);
  return MapElements(function, type, instruction, operands);
}

}  // namespace hlokit::interpreter
