// The common combiners of reductions with their accumulators.
//
// Sums of floats are accumulated in double and rounded once, other floats as
// they are; integers modulo 2^bits. Small floats are not among the types: they
// are converted to f32 first and back at the end.
#ifndef HLOKIT_BACKENDS_INTERPRETER_REDUCERS_H_
#define HLOKIT_BACKENDS_INTERPRETER_REDUCERS_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backends/interpreter/complex_functions.h"
#include "backends/interpreter/float_functions.h"
#include "backends/interpreter/integer_functions.h"
#include "hlo/ir/native_types.h"
#include "hlo/ir/opcode.h"

namespace hlokit::interpreter {

// What one element is accumulated in.
template <typename T>
using SumOf = std::conditional_t<
    kIsInteger<T>, uint64_t,
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, Complex<float>>,
                                          Complex<double>, T>>>;

template <typename T, typename Acc>
struct ReducerBase {
  using Element = T;
  using Accumulator = Acc;
  static Acc Load(T value) {
    if constexpr (kIsInteger<T> && std::is_same_v<Acc, uint64_t>) {
      return BitsOf(value);
    } else {
      return static_cast<Acc>(value);
    }
  }
  static T Store(Acc value) {
    if constexpr (kIsInteger<T> && std::is_same_v<Acc, uint64_t>) {
      return IntegerOfBits<T>(value);
    } else {
      return static_cast<T>(value);
    }
  }
};

// Each has the value that changes nothing (Neutral) and Of.
template <typename T>
struct AddReducer : ReducerBase<T, SumOf<T>> {
  using Acc = SumOf<T>;
  static Acc Neutral() {
    if constexpr (kIsComplex<T>) return Acc(-0.0, -0.0);
    if constexpr (kIsFloat<T>) return -0.0;
    return Acc(0);
  }
  static Acc Of(Acc a, Acc b) {
    if constexpr (kIsPred<T>) return a || b;
    return a + b;
  }
};

template <typename T>
using ProductOf = std::conditional_t<kIsInteger<T>, uint64_t, T>;

template <typename T>
struct MultiplyReducer : ReducerBase<T, ProductOf<T>> {
  using Acc = ProductOf<T>;
  static Acc Neutral() { return Acc(1); }
  static Acc Of(Acc a, Acc b) {
    if constexpr (kIsPred<T>) {
      return a && b;
    } else if constexpr (kIsComplex<T>) {
      return ComplexMultiply(a, b);
    } else {
      return a * b;
    }
  }
};

template <typename T>
struct MaximumReducer : ReducerBase<T, T> {
  static T Neutral() {
    if constexpr (kIsFloat<T>) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) return a || b;
    if constexpr (kIsFloat<T>) return FloatMaximum(a, b);
    return a < b ? b : a;
  }
};

template <typename T>
struct MinimumReducer : ReducerBase<T, T> {
  static T Neutral() {
    if constexpr (kIsFloat<T>) return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
  }
  static T Of(T a, T b) {
    if constexpr (kIsPred<T>) return a && b;
    if constexpr (kIsFloat<T>) return FloatMinimum(a, b);
    return b < a ? b : a;
  }
};

template <typename T>
using BitAccumulator = std::conditional_t<kIsInteger<T>, uint64_t, T>;

template <typename T>
struct AndReducer : ReducerBase<T, BitAccumulator<T>> {
  using Acc = BitAccumulator<T>;
  static Acc Neutral() { return static_cast<Acc>(~uint64_t{0}); }
  static Acc Of(Acc a, Acc b) { return a & b; }
};

template <typename T>
struct OrReducer : ReducerBase<T, BitAccumulator<T>> {
  using Acc = BitAccumulator<T>;
  static Acc Neutral() { return 0; }
  static Acc Of(Acc a, Acc b) { return a | b; }
};

template <typename T>
struct XorReducer : ReducerBase<T, BitAccumulator<T>> {
  using Acc = BitAccumulator<T>;
  static Acc Neutral() { return 0; }
  static Acc Of(Acc a, Acc b) { return a ^ b; }
};

// Calls fn(reducer) for the combiner `opcode` on elements of `type`; false if
// there is none.
template <typename Fn>
bool DispatchReducer(Opcode opcode, PrimitiveType type, const Fn& fn) {
  return DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!IsSmallFloat<T>::value) {
      if (opcode == Opcode::kAdd) return fn(AddReducer<T>()), true;
      if (opcode == Opcode::kMultiply) return fn(MultiplyReducer<T>()), true;
      if constexpr (!kIsComplex<T>) {
        if (opcode == Opcode::kMaximum) return fn(MaximumReducer<T>()), true;
        if (opcode == Opcode::kMinimum) return fn(MinimumReducer<T>()), true;
      }
      if constexpr (!kIsComplex<T> && !kIsFloat<T>) {
        if (opcode == Opcode::kAnd) return fn(AndReducer<T>()), true;
        if (opcode == Opcode::kOr) return fn(OrReducer<T>()), true;
        if (opcode == Opcode::kXor) return fn(XorReducer<T>()), true;
      }
    }
    return false;
  });
}

}  // namespace hlokit::interpreter

#endif  // HLOKIT_BACKENDS_INTERPRETER_REDUCERS_H_
