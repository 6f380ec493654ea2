// Floating-point numbers of 4 to 16 bits, as machine-learning programs use
// them.
//
// One template for all: sign (but for E8M0), exponent, mantissa, a bias, and a
// rule for what has no finite value. Values convert implicitly to float, which
// holds every one exactly, so arithmetic happens in float; the way back is an
// explicit construction, which rounds:
//
//   Half h(0.1f);
//   BFloat16 b = BFloat16(h * 3);
//
// Rounding is to nearest, ties to the even mantissa. What lies beyond the
// largest finite value (after rounding) becomes infinity, NaN where there is no
// infinity, or the largest finite value where there is no NaN either. NaN
// becomes NaN of the same sign where the type has signed ones; where it has
// none at all, nan gives -0 and -nan gives 0. A double goes to the 16-bit types
// through a float, rounded twice, as XLA's CPU backend does; to the others
// directly. Integers go through a float.
//
// Sources: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling Formats
// 1.0, IEEE 754, and, for the FNUZ kinds, arXiv 2206.02915.
#ifndef HLOKIT_HLO_IR_SMALL_FLOAT_H_
#define HLOKIT_HLO_IR_SMALL_FLOAT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hlokit {

enum class SmallFloatKind : uint8_t {
  kIeee,       // all exponent bits set: infinities and NaNs
  kFiniteNan,  // FN: no infinity; NaN is exponent and mantissa all ones
  kFnuz,       // no infinity, no -0: the code of -0 is the only NaN
  kFinite,     // FN of 4 and 6 bits: neither infinity nor NaN
  kE8M0,       // a bare exponent: no sign, no zero; all ones is NaN
};

namespace internal {

template <typename T>
struct WideFloat;
template <>
struct WideFloat<float> {
  using Bits = uint32_t;
  static constexpr int kWidth = 32, kMantissa = 23, kBias = 127;
};
template <>
struct WideFloat<double> {
  using Bits = uint64_t;
  static constexpr int kWidth = 64, kMantissa = 52, kBias = 1023;
};

// `value` >> `shift`, rounded to nearest even. 1 <= shift < width - 1.
template <typename Bits>
constexpr Bits ShiftRoundingToEven(Bits value, int shift) {
  Bits odd = (value >> shift) & 1;
  return (value + odd + ((Bits{1} << (shift - 1)) - 1)) >> shift;
}

}  // namespace internal

template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
class SmallFloat {
 public:
  static constexpr int kExponentBits = exponent_bits;
  static constexpr int kMantissaBits = mantissa_bits;
  static constexpr int kBias = bias;
  static constexpr SmallFloatKind kKind = kind;
  static constexpr bool kHasSign = kind != SmallFloatKind::kE8M0;
  static constexpr int kBits = kHasSign + exponent_bits + mantissa_bits;
  static constexpr bool kHasInfinity = kind == SmallFloatKind::kIeee;
  static constexpr bool kHasNan = kind != SmallFloatKind::kFinite;
  static constexpr bool kHasNegativeZero =
      kHasSign && kind != SmallFloatKind::kFnuz;
  // NaNs that differ by more than the sign.
  static constexpr bool kHasNanPayload =
      kind == SmallFloatKind::kIeee && mantissa_bits > 1;

  using Bits = std::conditional_t<(kBits > 8), uint16_t, uint8_t>;

  constexpr SmallFloat() = default;  // the code 0: zero, for E8M0 2^-127
  explicit constexpr SmallFloat(float value) : bits_(Encode(value)) {}
  explicit constexpr SmallFloat(double value)
      : bits_(kBits > 8 ? Encode(static_cast<float>(value)) : Encode(value)) {}
  // Integers, bool, other small floats, SubByteInt.
  template <typename T>
  requires(
      !std::is_floating_point_v<T> && !std::is_same_v<T, SmallFloat> &&
      std::is_convertible_v<T, float>) explicit constexpr SmallFloat(T value)
      : bits_(Encode(static_cast<float>(value))) {}

  // Bits above kBits are dropped.
  static constexpr SmallFloat FromBits(Bits bits) {
    SmallFloat result;
    result.bits_ = bits & kAllBits;
    return result;
  }
  constexpr Bits bits() const { return bits_; }
  constexpr operator float() const;  // NOLINT: loses nothing

  static constexpr SmallFloat Max() { return FromBits(kMaxBits); }
  static constexpr SmallFloat Lowest() {
    return FromBits(kHasSign ? kSignBit | kMaxBits : 0);
  }
  // The smallest above zero, and the smallest with full precision.
  static constexpr SmallFloat MinPositive() { return FromBits(kHasSign); }
  static constexpr SmallFloat MinNormal() {
    return FromBits(kHasSign ? 1 << mantissa_bits : 0);
  }
  // What infinity converts to: infinity, NaN or the largest value.
  static constexpr SmallFloat Infinity() { return FromBits(kOverflowBits); }
  // What a positive NaN converts to: the quiet NaN, or -0 (kFinite).
  static constexpr SmallFloat QuietNan() { return FromBits(kNanBits); }

  // By code. True for the NaN of the FNUZ kinds.
  constexpr bool IsNegative() const { return kHasSign && (bits_ & kSignBit); }
  constexpr bool IsNan() const {
    if constexpr (kind == SmallFloatKind::kIeee) {
      return Magnitude() > kInfinityBits;
    } else if constexpr (kind == SmallFloatKind::kFiniteNan) {
      return Magnitude() == kMagnitudeMask;
    } else {
      return kHasNan && bits_ == kNanBits;
    }
  }
  constexpr bool IsInfinite() const {
    return kHasInfinity && Magnitude() == kInfinityBits;
  }

 private:
  static constexpr Bits kAllBits = (1u << kBits) - 1;
  static constexpr Bits kSignBit = kHasSign ? 1u << (kBits - 1) : 0;
  static constexpr Bits kMagnitudeMask = kAllBits & ~kSignBit;
  static constexpr Bits kExponentMask = (1u << exponent_bits) - 1;
  static constexpr Bits kMantissaMask = (1u << mantissa_bits) - 1;
  static constexpr Bits kInfinityBits = kExponentMask << mantissa_bits;
  static constexpr Bits kMaxBits =
      kind == SmallFloatKind::kIeee ? kInfinityBits - 1
      : kind == SmallFloatKind::kFiniteNan || kind == SmallFloatKind::kE8M0
          ? kMagnitudeMask - 1
          : kMagnitudeMask;
  static constexpr Bits kNanBits =
      kind == SmallFloatKind::kIeee ? kInfinityBits | (1u << mantissa_bits >> 1)
      : kind == SmallFloatKind::kFnuz || kind == SmallFloatKind::kFinite
          ? kSignBit
          : kMagnitudeMask;
  static constexpr Bits kOverflowBits = kHasInfinity ? kInfinityBits
                                        : kHasNan    ? kNanBits
                                                     : kMaxBits;

  constexpr Bits Magnitude() const { return bits_ & kMagnitudeMask; }

  template <typename T>
  static constexpr Bits Encode(T value);
  template <typename T>
  static constexpr Bits EncodeNan(typename internal::WideFloat<T>::Bits bits);
  template <typename T>
  static constexpr Bits EncodeExponent(
      typename internal::WideFloat<T>::Bits bits);

 public:
  // The slow path of operator float.
  constexpr float Decode() const;

 private:
  Bits bits_ = 0;
};

using F4E2M1FN = SmallFloat<2, 1, 1, SmallFloatKind::kFinite>;
using F6E2M3FN = SmallFloat<2, 3, 1, SmallFloatKind::kFinite>;
using F6E3M2FN = SmallFloat<3, 2, 3, SmallFloatKind::kFinite>;
using F8E3M4 = SmallFloat<3, 4, 3, SmallFloatKind::kIeee>;
using F8E4M3 = SmallFloat<4, 3, 7, SmallFloatKind::kIeee>;
using F8E4M3FN = SmallFloat<4, 3, 7, SmallFloatKind::kFiniteNan>;
using F8E4M3B11FNUZ = SmallFloat<4, 3, 11, SmallFloatKind::kFnuz>;
using F8E4M3FNUZ = SmallFloat<4, 3, 8, SmallFloatKind::kFnuz>;
using F8E5M2 = SmallFloat<5, 2, 15, SmallFloatKind::kIeee>;
using F8E5M2FNUZ = SmallFloat<5, 2, 16, SmallFloatKind::kFnuz>;
using F8E8M0FNU = SmallFloat<8, 0, 127, SmallFloatKind::kE8M0>;
using BFloat16 = SmallFloat<8, 7, 127, SmallFloatKind::kIeee>;
using Half = SmallFloat<5, 10, 15, SmallFloatKind::kIeee>;

template <typename T>
struct IsSmallFloat : std::false_type {};
template <int e, int m, int b, SmallFloatKind k>
struct IsSmallFloat<SmallFloat<e, m, b, k>> : std::true_type {};

// Found by argument, so generic code writes `using std::isnan; isnan(x)`.
template <int e, int m, int b, SmallFloatKind k>
constexpr bool isnan(SmallFloat<e, m, b, k> x) {
  return x.IsNan();
}
template <int e, int m, int b, SmallFloatKind k>
constexpr bool isinf(SmallFloat<e, m, b, k> x) {
  return x.IsInfinite();
}
template <int e, int m, int b, SmallFloatKind k>
constexpr bool isfinite(SmallFloat<e, m, b, k> x) {
  return !x.IsNan() && !x.IsInfinite();
}
template <int e, int m, int b, SmallFloatKind k>
constexpr bool signbit(SmallFloat<e, m, b, k> x) {
  return x.IsNegative();
}

// --- Implementation. ---

template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
constexpr float SmallFloat<exponent_bits, mantissa_bits, bias, kind>::Decode()
    const {
  const uint32_t sign = IsNegative() ? 0x80000000u : 0;
  if (IsNan()) {
    // 16-bit NaNs keep their payload, others become the plain NaN.
    uint32_t payload =
        kBits > 8 ? uint32_t{Magnitude()} << (23 - mantissa_bits) : 0x400000;
    return std::bit_cast<float>(sign | 0x7F800000u | payload);
  }
  if (IsInfinite()) return std::bit_cast<float>(sign | 0x7F800000u);
  const uint32_t exponent = Magnitude() >> mantissa_bits;
  const uint32_t mantissa = Magnitude() & kMantissaMask;
  if constexpr (bias == 127) {  // float's own exponents, zero included
    if (kHasSign || exponent != 0) {
      return std::bit_cast<float>(sign | uint32_t{Magnitude()}
                                             << (23 - mantissa_bits));
    }
    return std::bit_cast<float>(0x00400000u);  // 2^-127
  } else {
    if (exponent != 0) {
      return std::bit_cast<float>(sign | (exponent + 127 - bias) << 23 |
                                  mantissa << (23 - mantissa_bits));
    }
    constexpr float kUnit =
        std::bit_cast<float>(uint32_t(128 - bias - mantissa_bits) << 23);
    float magnitude = static_cast<float>(mantissa) * kUnit;
    return sign ? -magnitude : magnitude;
  }
}

namespace internal {

template <typename T>
constexpr std::array<float, size_t{1} << T::kBits> DecodeAll() {
  std::array<float, size_t{1} << T::kBits> table = {};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = T::FromBits(static_cast<typename T::Bits>(i)).Decode();
  }
  return table;
}
template <typename T>
inline constexpr auto kDecoded = DecodeAll<T>();

}  // namespace internal

template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
constexpr SmallFloat<exponent_bits, mantissa_bits, bias, kind>::operator float()
    const {
  if constexpr (kBits <= 8) {
    return internal::kDecoded<SmallFloat>[bits_];
  } else {
    return Decode();
  }
}

template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
template <typename T>
constexpr typename SmallFloat<exponent_bits, mantissa_bits, bias, kind>::Bits
SmallFloat<exponent_bits, mantissa_bits, bias, kind>::EncodeNan(
    typename internal::WideFloat<T>::Bits bits) {
  using Wide = internal::WideFloat<T>;
  if constexpr (kind == SmallFloatKind::kIeee) {
    Bits sign = static_cast<Bits>(bits >> (Wide::kWidth - kBits)) & kSignBit;
    // Hardware keeps the upper payload bits for f16 only.
    Bits payload = 0;
    if constexpr (std::is_same_v<SmallFloat, Half>) {
      payload = static_cast<Bits>(bits >> (Wide::kMantissa - mantissa_bits)) &
                kMantissaMask;
    }
    return sign | kNanBits | payload;
  } else if constexpr (kind == SmallFloatKind::kFiniteNan) {
    return kNanBits | (bits >> (Wide::kWidth - 1) ? kSignBit : 0);
  } else if constexpr (kind == SmallFloatKind::kFinite) {
    return bits >> (Wide::kWidth - 1) ? 0 : kNanBits;
  } else {
    return kNanBits;
  }
}

// E8M0: to the nearest power of two, ties up; zero and negative numbers are
// NaN, tiny ones the smallest value. (Floats, not doubles, just above the
// smallest value go up.)
template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
template <typename T>
constexpr typename SmallFloat<exponent_bits, mantissa_bits, bias, kind>::Bits
SmallFloat<exponent_bits, mantissa_bits, bias, kind>::EncodeExponent(
    typename internal::WideFloat<T>::Bits bits) {
  using Wide = internal::WideFloat<T>;
  using WideBits = typename Wide::Bits;
  constexpr WideBits kOne = WideBits{1} << Wide::kMantissa;
  if (bits == 0 || bits >> (Wide::kWidth - 1)) return kNanBits;
  if constexpr (Wide::kBias == bias) {
    // Floats between 2^-127 and 2^-126 are subnormal. XLA and ml_dtypes round
    // them up, however near the lower one is.
    if (bits < kOne) return bits > kOne / 2;
  } else {
    constexpr WideBits kSmallest = WideBits(Wide::kBias - bias)
                                   << Wide::kMantissa;
    if (bits < kSmallest) return 0;
    bits -= kSmallest;
  }
  WideBits code = (bits + kOne / 2) >> Wide::kMantissa;
  return code > kMaxBits ? kNanBits : static_cast<Bits>(code);
}

template <int exponent_bits, int mantissa_bits, int bias, SmallFloatKind kind>
template <typename T>
constexpr typename SmallFloat<exponent_bits, mantissa_bits, bias, kind>::Bits
SmallFloat<exponent_bits, mantissa_bits, bias, kind>::Encode(T value) {
  using Wide = internal::WideFloat<T>;
  using WideBits = typename Wide::Bits;
  constexpr int kShift = Wide::kMantissa - mantissa_bits;
  constexpr WideBits kOne = WideBits{1} << Wide::kMantissa;  // hidden bit
  const WideBits bits = std::bit_cast<WideBits>(value);
  const WideBits magnitude = bits & (~WideBits{0} >> 1);
  constexpr WideBits kWideInfinity = (WideBits{1} << (Wide::kWidth - 1)) - kOne;
  if (magnitude > kWideInfinity) return EncodeNan<T>(bits);
  if constexpr (kind == SmallFloatKind::kE8M0) {
    return EncodeExponent<T>(bits);
  } else {
    const Bits sign = magnitude == bits ? 0 : kSignBit;
    constexpr int kRebias = Wide::kBias - bias;
    WideBits code;
    if (kRebias == 0 || magnitude >= WideBits(kRebias + 1) << Wide::kMantissa) {
      // Normal numbers (with equal biases also the subnormal): exponent and
      // mantissa are one number; a carry moves to the next exponent by itself.
      code = internal::ShiftRoundingToEven<WideBits>(
          magnitude - (WideBits(kRebias) << Wide::kMantissa), kShift);
      if (code > kMaxBits) return sign | kOverflowBits;
    } else {
      int deficit =
          kRebias + 1 - static_cast<int>(magnitude >> Wide::kMantissa);
      // A wide subnormal is far below half of the smallest value here.
      if (deficit > mantissa_bits + 1) return kHasNegativeZero ? sign : 0;
      code = internal::ShiftRoundingToEven<WideBits>(
          (magnitude & (kOne - 1)) | kOne, kShift + deficit);
    }
    if (!kHasNegativeZero && code == 0) return 0;
    return sign | static_cast<Bits>(code);
  }
}

}  // namespace hlokit

template <int e, int m, int b, hlokit::SmallFloatKind k>
class std::numeric_limits<hlokit::SmallFloat<e, m, b, k>> {
  using T = hlokit::SmallFloat<e, m, b, k>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = T::kHasSign;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = T::kHasInfinity;
  static constexpr bool has_quiet_NaN = T::kHasNan;
  static constexpr int radix = 2;
  static constexpr int digits = m + 1;
  // 2^(max_exponent - 1) is the largest power of two.
  static constexpr int max_exponent =
      (std::bit_cast<uint32_t>(T::Max().Decode()) >> 23) - 126;
  static constexpr T min() { return T::MinNormal(); }
  static constexpr T max() { return T::Max(); }
  static constexpr T lowest() { return T::Lowest(); }
  static constexpr T denorm_min() { return T::MinPositive(); }
  static constexpr T infinity() { return T::Infinity(); }
  static constexpr T quiet_NaN() { return T::QuietNan(); }
  static constexpr T epsilon() { return T(1.0f / static_cast<float>(1 << m)); }
};

#endif  // HLOKIT_HLO_IR_SMALL_FLOAT_H_
