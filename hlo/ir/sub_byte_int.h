// Integers of 1, 2 and 4 bits. Each value takes one byte: signed ones
// sign-extended, unsigned ones with zeros above.
//
// Values convert implicitly to int. Construction from an integer keeps the low
// bits (arithmetic modulo 2^bits); construction from a floating-point number
// truncates and saturates, NaN gives 0, as HLO's convert does. Both are
// explicit. S1 holds 0 and -1.
#ifndef HLOKIT_HLO_IR_SUB_BYTE_INT_H_
#define HLOKIT_HLO_IR_SUB_BYTE_INT_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hlokit {

template <int bits, bool is_signed>
class SubByteInt {
 public:
  static_assert(bits >= 1 && bits < 8);
  static constexpr int kBits = bits;
  static constexpr int kMin = is_signed ? -(1 << (bits - 1)) : 0;
  static constexpr int kMax = kMin + (1 << bits) - 1;
  using Storage = std::conditional_t<is_signed, int8_t, uint8_t>;

  constexpr SubByteInt() = default;
  template <typename T>
  requires std::is_integral_v<T>
  explicit constexpr SubByteInt(T value) : value_(Wrap(value)) {}
  template <typename T>
  requires std::is_floating_point_v<T>
  explicit constexpr SubByteInt(T value) : value_(Saturate(value)) {}
  // Other sub-byte integers and small floats, by their own implicit conversion.
  template <typename T>
  requires(std::is_class_v<T> && !std::is_same_v<T, SubByteInt> &&
           std::is_convertible_v<
               T, float>) explicit constexpr SubByteInt(const T& value)
      : SubByteInt(+value) {}

  constexpr operator int() const { return value_; }  // NOLINT: loses nothing

  constexpr SubByteInt& operator+=(SubByteInt o) { return *this = *this + o; }
  constexpr SubByteInt& operator-=(SubByteInt o) { return *this = *this - o; }
  constexpr SubByteInt& operator*=(SubByteInt o) { return *this = *this * o; }
  constexpr SubByteInt& operator&=(SubByteInt o) { return *this = *this & o; }
  constexpr SubByteInt& operator|=(SubByteInt o) { return *this = *this | o; }
  constexpr SubByteInt& operator^=(SubByteInt o) { return *this = *this ^ o; }
  constexpr SubByteInt& operator++() { return *this = SubByteInt(value_ + 1); }
  constexpr SubByteInt& operator--() { return *this = SubByteInt(value_ - 1); }

  friend constexpr SubByteInt operator+(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ + b.value_);
  }
  friend constexpr SubByteInt operator-(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ - b.value_);
  }
  friend constexpr SubByteInt operator*(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ * b.value_);
  }
  // As for int, the divisor must not be 0.
  friend constexpr SubByteInt operator/(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ / b.value_);
  }
  friend constexpr SubByteInt operator%(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ % b.value_);
  }
  friend constexpr SubByteInt operator&(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ & b.value_);
  }
  friend constexpr SubByteInt operator|(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ | b.value_);
  }
  friend constexpr SubByteInt operator^(SubByteInt a, SubByteInt b) {
    return SubByteInt(a.value_ ^ b.value_);
  }
  friend constexpr SubByteInt operator~(SubByteInt a) {
    return SubByteInt(~a.value_);
  }
  friend constexpr SubByteInt operator-(SubByteInt a) {
    return SubByteInt(-a.value_);
  }
  friend constexpr bool operator==(SubByteInt a, SubByteInt b) {
    return a.value_ == b.value_;
  }
  friend constexpr std::strong_ordering operator<=>(SubByteInt a,
                                                    SubByteInt b) {
    return a.value_ <=> b.value_;
  }

 private:
  template <typename T>
  static constexpr Storage Wrap(T value) {
    const unsigned low = static_cast<unsigned>(value) & ((1u << bits) - 1);
    const bool negative = is_signed && (low >> (bits - 1));
    return static_cast<Storage>(static_cast<int>(low) -
                                (negative ? 1 << bits : 0));
  }
  template <typename T>
  static constexpr Storage Saturate(T value) {
    if (value != value) return 0;
    if (value <= kMin) return kMin;
    if (value >= kMax) return kMax;
    return static_cast<Storage>(value);
  }

  Storage value_ = 0;
};

using S1 = SubByteInt<1, true>;
using S2 = SubByteInt<2, true>;
using S4 = SubByteInt<4, true>;
using U1 = SubByteInt<1, false>;
using U2 = SubByteInt<2, false>;
using U4 = SubByteInt<4, false>;

template <typename T>
struct IsSubByteInt : std::false_type {
  static constexpr bool is_signed = false;
};
template <int bits, bool sign>
struct IsSubByteInt<SubByteInt<bits, sign>> : std::true_type {
  static constexpr bool is_signed = sign;
};

}  // namespace hlokit

template <int bits, bool sign>
class std::numeric_limits<hlokit::SubByteInt<bits, sign>> {
  using T = hlokit::SubByteInt<bits, sign>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = sign;
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = true;
  static constexpr bool has_infinity = false;
  static constexpr bool has_quiet_NaN = false;
  static constexpr int radix = 2;
  static constexpr int digits = bits - sign;
  static constexpr T min() { return T(T::kMin); }
  static constexpr T max() { return T(T::kMax); }
  static constexpr T lowest() { return min(); }
};

#endif  // HLOKIT_HLO_IR_SUB_BYTE_INT_H_
