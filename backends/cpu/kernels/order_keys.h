// Elements as unsigned integers of the same order.
#ifndef HLOKIT_BACKENDS_CPU_KERNELS_ORDER_KEYS_H_
#define HLOKIT_BACKENDS_CPU_KERNELS_ORDER_KEYS_H_

#include <bit>
#include <cstdint>
#include <type_traits>

#include "hlo/ir/native_types.h"

namespace hlokit::cpu {

// How elements are compared.
enum class KeyOrder {
  kTotal,      // integers; floats: -NaN < -inf < ... < -0 < +0 < ... < NaN
  kPlain,      // floats by value: zeros are equal; NaN goes to the end
  kCanonical,  // the same: one zero, one NaN (as JAX sorts)
};

template <typename T>
using OrderKeyOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Not for complex numbers.
template <typename T>
OrderKeyOf<T> OrderKey(T value, KeyOrder order) {
  using Key = OrderKeyOf<T>;
  constexpr Key kTop = Key{1} << (8 * sizeof(Key) - 1);
  if constexpr (kIsFloat<T>) {
    using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
    const Wide wide = value;
    Key bits = std::bit_cast<Key>(wide);
    if (order != KeyOrder::kTotal) {
      if (wide == 0) bits = 0;
      if (wide != wide) bits = ~Key{0} >> 1;
    }
    const Key flip = bits & kTop ? ~Key{0} : kTop;
    return bits ^ flip;
  } else if constexpr (std::is_same_v<T, uint64_t> ||
                       std::is_same_v<T, uint32_t>) {
    return value;
  } else {
    return static_cast<Key>(static_cast<std::make_signed_t<Key>>(
               static_cast<int64_t>(value))) ^ kTop;
  }
}

// Calls fn(std::type_identity<T>{}) where elements of the type have an order;
// false for complex numbers.
template <typename Fn>
bool DispatchOrderedType(PrimitiveType type, const Fn& fn) {
  return DispatchArrayType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsComplex<T>) {
      return false;
    } else {
      fn(tag);
      return true;
    }
  });
}

}  // namespace hlokit::cpu

#endif  // HLOKIT_BACKENDS_CPU_KERNELS_ORDER_KEYS_H_
