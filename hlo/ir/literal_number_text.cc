#include "hlo/ir/literal_number_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace hlokit {
namespace {

// Significant digits of the small float types: enough to tell all values apart.
template <typename T>
inline constexpr int kDigits = T::kMantissaBits <= 2 ? 2 : 3;
template <>
inline constexpr int kDigits<BFloat16> = 4;
template <>
inline constexpr int kDigits<Half> = 5;

constexpr int64_t PowerOfTen(int exponent) {
  return exponent == 0 ? 1 : 10 * PowerOfTen(exponent - 1);
}

char* WriteText(const char* text, char* out) {
  const size_t size = std::strlen(text);
  std::memcpy(out, text, size);
  return out + size;
}

template <typename T>
char* WriteInteger(T value, char* out) {
  return std::to_chars(out, out + kMaxNumberText, value).ptr;
}

template <typename T>
char* WriteGeneral(T value, int digits, char* out) {
  return std::to_chars(out, out + kMaxNumberText / 2, value,
                       std::chars_format::general, digits)
      .ptr;
}

char* WriteNan(bool negative, uint64_t mantissa, uint64_t plain, char* out) {
  out = WriteText(negative ? "-nan" : "nan", out);
  if (mantissa == plain) return out;
  out = WriteText("(0x", out);
  out = std::to_chars(out, out + 16, mantissa, 16).ptr;
  *out++ = ')';
  return out;
}

// Numbers without fraction that are written without exponent: most numbers in
// real programs. Null if `value` is not such a one.
template <int digits, typename T>
char* TryWriteWhole(T value, char* out) {
  constexpr T kLimit = static_cast<T>(PowerOfTen(digits));
  if (!(value > -kLimit && value < kLimit)) return nullptr;
  const auto whole = static_cast<int64_t>(value);
  if (static_cast<T>(whole) != value) return nullptr;
  if (whole == 0 && std::signbit(value)) *out++ = '-';
  return WriteInteger(whole, out);
}

// The shortest decimal that reads back equal: (-)d.ddd * 10^exponent.
struct Shortest {
  bool negative;
  int count;
  int exponent;
  char digits[20];
};

template <typename T>
Shortest ShortestOf(T value) {
  char buffer[kMaxNumberText];
  const char* end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                  std::chars_format::scientific)
                        .ptr;
  Shortest s;
  const char* p = buffer;
  s.negative = *p == '-';
  p += s.negative;
  s.digits[0] = *p++;
  s.count = 1;
  if (*p == '.') {
    for (++p; *p != 'e'; ++p) s.digits[s.count++] = *p;
  }
  ++p;                 // e
  if (*p == '+') ++p;  // from_chars takes none
  std::from_chars(p, end, s.exponent);
  return s;
}

// As printf's %.<precision>g lays these digits out; no more than `precision`.
char* WriteLaidOut(const Shortest& s, int precision, char* out) {
  if (s.negative) *out++ = '-';
  auto digits = [&](int from, int to) {
    for (int i = from; i < to; ++i) *out++ = i < s.count ? s.digits[i] : '0';
  };
  if (s.exponent < -4 || s.exponent >= precision) {
    digits(0, 1);
    if (s.count > 1) *out++ = '.';
    digits(1, s.count);
    *out++ = 'e';
    *out++ = s.exponent < 0 ? '-' : '+';
    const int exponent = std::abs(s.exponent);
    if (exponent < 10) *out++ = '0';
    return WriteInteger(exponent, out);
  }
  const int whole = s.exponent + 1;
  if (whole <= 0) {
    out = WriteText("0.", out);
    for (int i = whole; i < 0; ++i) *out++ = '0';
    digits(0, s.count);
    return out;
  }
  digits(0, whole);
  if (s.count > whole) *out++ = '.';
  digits(whole, s.count);
  return out;
}

// f32 and f64: `few` digits suffice exactly when the shortest decimal has no
// more, for decimals of that length are rarer than the type's values (except
// among subnormal numbers, where the nearest one then reads back equal too).
// The shortest decimal is the nearest one of its length, and where decimals are
// rarer than values also of greater ones.
template <int few, int many, typename Bits, int mantissa_bits, typename T>
char* WriteWideFloat(T value, char* out) {
  if (std::isnan(value)) {
    constexpr Bits kMask = (Bits{1} << mantissa_bits) - 1;
    return WriteNan(std::signbit(value), std::bit_cast<Bits>(value) & kMask,
                    Bits{1} << (mantissa_bits - 1), out);
  }
  if (char* end = TryWriteWhole<few>(value, out)) return end;
  if (std::isinf(value)) return WriteText(value < 0 ? "-inf" : "inf", out);
  const Shortest shortest = ShortestOf(value);
  const int digits = shortest.count <= few ? few : many;
  if (shortest.count == digits ||
      (shortest.count < few && std::isnormal(value))) {
    return WriteLaidOut(shortest, digits, out);
  }
  return WriteGeneral(value, digits, out);
}

template <typename T>
char* WriteSmallFloat(T value, char* out) {
  if (value.IsNan()) {
    constexpr uint64_t kMask = (1 << T::kMantissaBits) - 1;
    const uint64_t plain = T::kHasNanPayload ? (kMask + 1) / 2 : kMask;
    const uint64_t mantissa = T::kHasNanPayload ? value.bits() & kMask : kMask;
    return WriteNan(value.IsNegative(), mantissa, plain, out);
  }
  if (value.IsInfinite()) {
    return WriteText(value.IsNegative() ? "-inf" : "inf", out);
  }
  const float wide = value;
  if (char* end = TryWriteWhole<kDigits<T>>(wide, out)) return end;
  return WriteGeneral(wide, kDigits<T>, out);
}

template <typename T>
char* Write(T value, char* out) {
  if constexpr (kIsPred<T>) {
    *out++ = value ? '1' : '0';
    return out;
  } else if constexpr (kIsComplex<T>) {
    *out++ = '(';
    out = WriteText(", ", WriteNumber(value.real(), out));
    out = WriteNumber(value.imag(), out);
    *out++ = ')';
    return out;
  } else if constexpr (std::is_same_v<T, float>) {
    return WriteWideFloat<6, 9, uint32_t, 23>(value, out);
  } else if constexpr (std::is_same_v<T, double>) {
    return WriteWideFloat<15, 17, uint64_t, 52>(value, out);
  } else if constexpr (IsSmallFloat<T>::value) {
    return WriteSmallFloat(value, out);
  } else if constexpr (IsSubByteInt<T>::value) {
    return WriteInteger(static_cast<int>(value), out);
  } else {
    return WriteInteger(value, out);
  }
}

}  // namespace

#define HLO_NATIVE(enumerator, native) \
  char* WriteNumber(native value, char* out) { return Write(value, out); }
HLOKIT_FOR_EACH_NATIVE_TYPE(HLO_NATIVE)
#undef HLO_NATIVE

}  // namespace hlokit
