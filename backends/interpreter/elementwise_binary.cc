#include <cmath>
#include <complex>
#include <type_traits>

#include "backends/interpreter/complex_functions.h"
#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/float_functions.h"
#include "backends/interpreter/integer_functions.h"
#include "backends/interpreter/kernels.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

template <typename T>
concept Pred = std::is_same_v<T, bool>;

// Each operation is a struct of overloads for the types that it takes. pred
// adds and multiplies as logic does.
struct Add {
  template <Pred T>
  static T Of(T a, T b) {
    return a || b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) + BitsOf(b));
  }
  template <Float T>
  static T Of(T a, T b) {
    return a + b;
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return a + b;
  }
};

struct Subtract {
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) - BitsOf(b));
  }
  template <Float T>
  static T Of(T a, T b) {
    return a - b;
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return a - b;
  }
};

struct Multiply {
  template <Pred T>
  static T Of(T a, T b) {
    return a && b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) * BitsOf(b));
  }
  template <Float T>
  static T Of(T a, T b) {
    return a * b;
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return ComplexMultiply(a, b);
  }
};

struct Divide {
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerDivide(a, b);
  }
  template <Float T>
  static T Of(T a, T b) {
    return a / b;
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return ComplexDivide(a, b);
  }
};

struct Remainder {
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerRemainder(a, b);
  }
  template <Float T>
  static T Of(T a, T b) {
    return std::fmod(a, b);
  }
};

struct Maximum {
  template <Pred T>
  static T Of(T a, T b) {
    return a || b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return a < b ? b : a;
  }
  template <Float T>
  static T Of(T a, T b) {
    return FloatMaximum(a, b);
  }
};

struct Minimum {
  template <Pred T>
  static T Of(T a, T b) {
    return a && b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return b < a ? b : a;
  }
  template <Float T>
  static T Of(T a, T b) {
    return FloatMinimum(a, b);
  }
};

struct Power {
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerPower(a, b);
  }
  template <Float T>
  static T Of(T a, T b) {
    return std::pow(a, b);
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return ComplexPower(a, b);
  }
};

struct Atan2 {
  template <Float T>
  static T Of(T a, T b) {
    return std::atan2(a, b);
  }
  template <Float T>
  static std::complex<T> Of(std::complex<T> a, std::complex<T> b) {
    return ComplexAtan2(a, b);
  }
};

struct MakeComplex {
  template <Float T>
  static std::complex<T> Of(T a, T b) {
    return {a, b};
  }
};

struct And {
  template <Pred T>
  static T Of(T a, T b) {
    return a && b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) & BitsOf(b));
  }
};

struct Or {
  template <Pred T>
  static T Of(T a, T b) {
    return a || b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) | BitsOf(b));
  }
};

struct Xor {
  template <Pred T>
  static T Of(T a, T b) {
    return a != b;
  }
  template <Integer T>
  static T Of(T a, T b) {
    return IntegerOfBits<T>(BitsOf(a) ^ BitsOf(b));
  }
};

#define HLOKIT_INTEGER_FUNCTION(Name, function) \
  struct Name {                                 \
    template <Integer T>                        \
    static T Of(T a, T b) {                     \
      return function(a, b);                    \
    }                                           \
  };
HLOKIT_INTEGER_FUNCTION(Mulhi, IntegerMulhi)
HLOKIT_INTEGER_FUNCTION(ShiftLeft, IntegerShiftLeft)
HLOKIT_INTEGER_FUNCTION(ShiftRightArithmetic, IntegerShiftRightArithmetic)
HLOKIT_INTEGER_FUNCTION(ShiftRightLogical, IntegerShiftRightLogical)
#undef HLOKIT_INTEGER_FUNCTION

template <typename Op, typename T>
void BinaryLoop(const char* const* inputs, char* output, int64_t count) {
  using Result = decltype(Op::Of(std::declval<T>(), std::declval<T>()));
  const T* a = reinterpret_cast<const T*>(inputs[0]);
  const T* b = reinterpret_cast<const T*>(inputs[1]);
  Result* out = reinterpret_cast<Result*>(output);
  for (int64_t i = 0; i < count; ++i) out[i] = Op::Of(a[i], b[i]);
}

template <typename Op>
ElementFunction FindBinary(PrimitiveType type) {
  return DispatchArrayType(LoopType(type), [&](auto tag) -> ElementFunction {
    using T = typename decltype(tag)::type;
    if constexpr (requires(T x) { Op::Of(x, x); }) {
      constexpr PrimitiveType kResult = PrimitiveTypeOf<decltype(Op::Of(
          std::declval<T>(), std::declval<T>()))>();
      const bool same = kResult == LoopType(type);
      return MakeElementFunction(&BinaryLoop<Op, T>, 2, type,
                                 same ? type : kResult);
    } else {
      return {};
    }
  });
}

}  // namespace

ElementFunction BinaryFunction(Opcode opcode, PrimitiveType type) {
  if (!IsArrayType(type)) return {};
  switch (opcode) {
#define HLOKIT_BINARY(opcode, Op) \
  case Opcode::opcode:            \
    return FindBinary<Op>(type);
    HLOKIT_BINARY(kAdd, Add)
    HLOKIT_BINARY(kAnd, And)
    HLOKIT_BINARY(kAtan2, Atan2)
    HLOKIT_BINARY(kComplex, MakeComplex)
    HLOKIT_BINARY(kDivide, Divide)
    HLOKIT_BINARY(kMaximum, Maximum)
    HLOKIT_BINARY(kMinimum, Minimum)
    HLOKIT_BINARY(kMulhi, Mulhi)
    HLOKIT_BINARY(kMultiply, Multiply)
    HLOKIT_BINARY(kOr, Or)
    HLOKIT_BINARY(kPower, Power)
    HLOKIT_BINARY(kRemainder, Remainder)
    HLOKIT_BINARY(kShiftLeft, ShiftLeft)
    HLOKIT_BINARY(kShiftRightArithmetic, ShiftRightArithmetic)
    HLOKIT_BINARY(kShiftRightLogical, ShiftRightLogical)
    HLOKIT_BINARY(kSubtract, Subtract)
    HLOKIT_BINARY(kXor, Xor)
#undef HLOKIT_BINARY
    default:
      return {};
  }
}

absl::StatusOr<Literal> EvalBinary(Context& context,
                                   const Instruction& instruction,
                                   absl::Span<const Literal* const> operands) {
  const PrimitiveType type = CommonType(operands);
  return MapElements(BinaryFunction(instruction.opcode(), type), type,
                     instruction, operands);
}

}  // namespace hlokit::interpreter
