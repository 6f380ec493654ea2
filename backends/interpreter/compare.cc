#include <complex>
#include <type_traits>

#include "backends/interpreter/elementwise.h"
#include "backends/interpreter/float_functions.h"
#include "backends/interpreter/integer_functions.h"
#include "backends/interpreter/kernels.h"
#include "hlo/ir/native_types.h"

namespace hlokit::interpreter {
namespace {

// What a comparison looks at: the value itself, or its place in the total
// order, or its bits as a signed or unsigned number.
struct Plain {
  template <typename T>
  static T Of(T x) {
    return x;
  }
};
struct TotalOrder {
  template <typename T>
    requires std::is_floating_point_v<T>
  static auto Of(T x) {
    return TotalOrderKey(x);
  }
};
struct Signed {
  template <typename T>
    requires kIsInteger<T>
  static int64_t Of(T x) {
    return SignExtended(x);
  }
};
struct Unsigned {
  template <typename T>
    requires kIsInteger<T>
  static uint64_t Of(T x) {
    return BitsOf(x);
  }
  static bool Of(bool x) { return x; }
};

#define HLOKIT_DIRECTION(Name, op)       \
  struct Name {                          \
    template <typename T>                \
      requires requires(T x) { x op x; } \
    static bool Of(const T& a, const T& b) { \
      return a op b;                     \
    }                                    \
  };
HLOKIT_DIRECTION(Eq, ==)
HLOKIT_DIRECTION(Ne, !=)
HLOKIT_DIRECTION(Ge, >=)
HLOKIT_DIRECTION(Gt, >)
HLOKIT_DIRECTION(Le, <=)
HLOKIT_DIRECTION(Lt, <)
#undef HLOKIT_DIRECTION

template <typename Direction, typename Key, typename T>
void Loop(const char* const* inputs, char* output, int64_t count) {
  const T* a = reinterpret_cast<const T*>(inputs[0]);
  const T* b = reinterpret_cast<const T*>(inputs[1]);
  bool* out = reinterpret_cast<bool*>(output);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = Direction::Of(Key::Of(a[i]), Key::Of(b[i]));
  }
}

template <typename Direction, typename Key>
ElementFunction Find(PrimitiveType type) {
  return DispatchArrayType(LoopType(type), [&](auto tag) -> ElementFunction {
    using T = typename decltype(tag)::type;
    if constexpr (requires(T x) { Direction::Of(Key::Of(x), Key::Of(x)); }) {
      return MakeElementFunction(&Loop<Direction, Key, T>, 2, type, kPred);
    } else {
      return {};
    }
  });
}

template <typename Direction>
ElementFunction Find(ComparisonType comparison, PrimitiveType type) {
  switch (comparison) {
    case ComparisonType::kFloatTotalOrder:
      return Find<Direction, TotalOrder>(type);
    case ComparisonType::kSigned:
      if (!IsUnsignedIntType(type)) break;
      return Find<Direction, Signed>(type);
    case ComparisonType::kUnsigned:
      if (!IsSignedIntType(type)) break;
      return Find<Direction, Unsigned>(type);
    default:
      break;
  }
  return Find<Direction, Plain>(type);
}

}  // namespace

ElementFunction CompareFunction(ComparisonDirection direction,
                                ComparisonType comparison,
                                PrimitiveType type) {
  if (!IsArrayType(type)) return {};
  switch (direction) {
    case ComparisonDirection::kEq:
      return Find<Eq>(comparison, type);
    case ComparisonDirection::kNe:
      return Find<Ne>(comparison, type);
    case ComparisonDirection::kGe:
      return Find<Ge>(comparison, type);
    case ComparisonDirection::kGt:
      return Find<Gt>(comparison, type);
    case ComparisonDirection::kLe:
      return Find<Le>(comparison, type);
    case ComparisonDirection::kLt:
      return Find<Lt>(comparison, type);
  }
  return {};
}

absl::StatusOr<Literal> EvalCompare(Context& context,
                                    const Instruction& instruction,
                                    absl::Span<const Literal* const> operands) {
  const PrimitiveType type = CommonType(operands);
  return MapElements(CompareFunction(instruction.comparison_direction(),
                                     instruction.comparison_type(), type),
                     type, instruction, operands);
}

}  // namespace hlokit::interpreter
