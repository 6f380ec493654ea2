// The common combiners of reductions and scatters on single elements.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_COMBINE_OPS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_COMBINE_OPS_H_

#include <limits>
#include <type_traits>

#include "backends/interpreter/complex_functions.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/opcode.h"

namespace hlokit::cpu {

// Integers wrap: signed ones through unsigned arithmetic.
template <typename T>
struct CombineAdd {
  static constexpr bool kIsSum = true;
  static T Neutral() { return kIsFloat<T> ? T(-0.0f) : T(0); }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
};
template <typename T>
struct CombineMultiply {
  static constexpr bool kIsSum = false;
  static T Neutral() { return T(1); }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) {
      return a && b;
    } else if constexpr (kIsComplex<T>) {
      return interpreter::ComplexMultiply(a, b);
    } else if constexpr (std::is_integral_v<T>) {
      using U = std::conditional_t<(sizeof(T) < 4), uint32_t,
                                   std::make_unsigned_t<T>>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return static_cast<T>(a * b);
    }
  }
};
// NaN if one of them is. (No shortcuts: that keeps loops without branches.)
template <typename T>
struct CombineMaximum {
  static constexpr bool kIsSum = false;
  static T Neutral() {
    if constexpr (kIsFloat<T>) {
      return static_cast<T>(-std::numeric_limits<float>::infinity());
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) return a || b;
    const bool larger = a > b, nan = a != a;
    return (larger | nan) ? a : b;
  }
};
template <typename T>
struct CombineMinimum {
  static constexpr bool kIsSum = false;
  static T Neutral() {
    if constexpr (kIsFloat<T>) {
      return static_cast<T>(std::numeric_limits<float>::infinity());
    } else {
      return std::numeric_limits<T>::max();
    }
  }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) return a && b;
    const bool smaller = a < b, nan = a != a;
    return (smaller | nan) ? a : b;
  }
};
template <typename T>
struct CombineAnd {
  static constexpr bool kIsSum = false;
  static T Neutral() { return static_cast<T>(~T(0)); }
  static T Of(T a, T b) { return a & b; }
};
template <typename T>
struct CombineOr {
  static constexpr bool kIsSum = false;
  static T Neutral() { return T(0); }
  static T Of(T a, T b) { return a | b; }
};
template <typename T>
struct CombineXor {
  static constexpr bool kIsSum = false;
  static T Neutral() { return T(0); }
  static T Of(T a, T b) { return a ^ b; }
};

// Calls fn(op) with the combiner of `opcode` on elements T; false if there is
// none. T is a built-in type, a complex one or a 16-bit float.
template <typename T, typename Fn>
bool DispatchCombine(Opcode opcode, const Fn& fn) {
  if (opcode == Opcode::kAdd) return fn(CombineAdd<T>()), true;
  if (opcode == Opcode::kMultiply) return fn(CombineMultiply<T>()), true;
  if constexpr (!kIsComplex<T>) {
    if (opcode == Opcode::kMaximum) return fn(CombineMaximum<T>()), true;
    if (opcode == Opcode::kMinimum) return fn(CombineMinimum<T>()), true;
  }
  if constexpr (std::is_integral_v<T>) {
    if (opcode == Opcode::kAnd) return fn(CombineAnd<T>()), true;
    if (opcode == Opcode::kOr) return fn(CombineOr<T>()), true;
    if (opcode == Opcode::kXor) return fn(CombineXor<T>()), true;
  }
  return false;
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_COMBINE_OPS_H_
