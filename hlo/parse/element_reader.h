// Reads single elements of constants: what stands between the commas.
#ifndef HLOKIT_HLO_PARSE_ELEMENT_READER_H_
#define HLOKIT_HLO_PARSE_ELEMENT_READER_H_

#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "hlo/ir/literal_convert.h"
#include "hlo/ir/native_types.h"
#include "hlo/parse/lexer.h"

namespace hlokit::parse {

// Moves over the text of a literal. After a failure `error` says why.
struct Cursor {
  const char* p;
  const char* end;
  std::string error;
  bool quirks = false;  // ParseOptions::xla_literal_quirks

  bool AtEnd() const { return p >= end; }
  char Peek() const { return p < end ? *p : '\0'; }
  bool Fail(std::string message) {
    error = std::move(message);
    return false;
  }
  // Past blanks, comments and, with `commas`, commas. False if a comment does
  // not end.
  bool Skip(bool commas);
  // The word or number at the cursor, for messages.
  absl::string_view Word() const;
  bool EatWord(absl::string_view word);
};

// nan, -nan, nan(0x1): `payload` is 0 without parentheses. False: no NaN here,
// or a bad one (then error is set).
bool ReadNan(Cursor* cursor, bool* negative, uint64_t* payload);

// A finite number as the nearest double. False with error set.
bool ReadFiniteDouble(Cursor* cursor, double* value);

// The same as XLA reads it: integers become 64-bit ones first.
bool ReadQuirkyDouble(Cursor* cursor, double* value);

// The payload of the quiet NaN, as "nan(0x8000000000000)" spells it for any type.
inline constexpr uint64_t kQuietPayload = uint64_t{1} << 51;

namespace internal {

template <typename T>
constexpr int MantissaBitsOf() {
  if constexpr (std::is_same_v<T, float>) {
    return 23;
  } else if constexpr (std::is_same_v<T, double>) {
    return 52;
  } else if constexpr (T::kHasNanPayload) {
    return T::kMantissaBits;
  } else {
    return 0;
  }
}

// The NaN with exactly this mantissa.
template <typename T>
T NanWithMantissa(bool negative, uint64_t mantissa) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(
        (negative ? 0xff800000u : 0x7f800000u) | mantissa));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(
        (negative ? 0xfff0000000000000u : 0x7ff0000000000000u) | mantissa);
  } else {
    using Bits = typename T::Bits;
    uint32_t bits = ((1u << T::kExponentBits) - 1) << T::kMantissaBits;
    if (negative) bits |= 1u << (T::kBits - 1);
    return T::FromBits(static_cast<Bits>(bits | mantissa));
  }
}

template <typename T>
bool IsFiniteValue(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value);
  } else {
    return !value.IsNan() && !value.IsInfinite();
  }
}

template <typename T>
bool ReadFloat(Cursor* cursor, T* value) {
  const char first = cursor->Peek();
  const bool minus = first == '-';
  const char next = minus && cursor->p + 1 < cursor->end ? cursor->p[1] : first;
  if (!minus && first == '.') {
    return cursor->Fail("a number cannot begin with '.'; write 0 before it");
  }
  if (IsDigit(next) || next == '.') {
    double number;
    const absl::string_view text = cursor->Word();
    if (!(cursor->quirks ? ReadQuirkyDouble(cursor, &number)
                         : ReadFiniteDouble(cursor, &number))) {
      return false;
    }
    const T rounded = ConvertElement<T>(number);
    if (!IsFiniteValue(rounded)) {
      return cursor->Fail(absl::StrCat(
          text, " does not fit ",
          PrimitiveTypeName(NativeTypeTraits<T>::type)));
    }
    *value = rounded;
    return true;
  }
  if (cursor->EatWord(minus ? "-inf" : "inf")) {
    const double infinity = std::numeric_limits<double>::infinity();
    *value = ConvertElement<T>(minus ? -infinity : infinity);
    return true;
  }
  bool negative;
  uint64_t payload;
  if (ReadNan(cursor, &negative, &payload)) {
    if (payload == 0 || payload == kQuietPayload) {
      const double nan = std::bit_cast<double>(
          negative ? 0xfff8000000000000u : 0x7ff8000000000000u);
      *value = ConvertElement<T>(nan);
      return true;
    }
    if (payload >> MantissaBitsOf<T>() != 0) {
      return cursor->Fail(absl::StrCat(
          "the NaN payload does not fit ",
          PrimitiveTypeName(NativeTypeTraits<T>::type)));
    }
    *value = NanWithMantissa<T>(negative, payload);
    return true;
  }
  if (!cursor->error.empty()) return false;
  return cursor->Fail(absl::StrCat(
      "expected a number, found '", cursor->Word(), "'"));
}

// The imaginary part as XLA reads it: a NaN becomes a double and then T.
template <typename T>
bool ReadQuirkyImaginary(Cursor* cursor, T* value) {
  const Cursor begin = *cursor;
  bool negative;
  uint64_t payload;
  if (!ReadNan(cursor, &negative, &payload)) {
    if (!cursor->error.empty()) return false;
    *cursor = begin;
    return ReadFloat(cursor, value);
  }
  if (payload == 0) payload = kQuietPayload;
  if constexpr (std::is_same_v<T, float>) {
    payload = (payload | kQuietPayload) >> 29;
  }
  *value = NanWithMantissa<T>(negative, payload);
  return true;
}

template <typename T>
bool FitsInteger(bool negative, uint64_t magnitude) {
  if constexpr (sizeof(T) == 8) {
    // Wraps around: unsigned values may be written negative and the other way.
    return !negative || magnitude <= uint64_t{1} << 63;
  } else {
    int64_t min, max;
    if constexpr (IsSubByteInt<T>::value) {
      min = T::kMin;
      max = T::kMax;
    } else {
      min = std::numeric_limits<T>::min();
      max = std::numeric_limits<T>::max();
    }
    return negative ? magnitude <= static_cast<uint64_t>(-min)
                    : magnitude <= static_cast<uint64_t>(max);
  }
}

template <typename T>
bool ReadInteger(Cursor* cursor, T* value) {
  const char* p = cursor->p;
  bool negative = cursor->Peek() == '-';
  if (negative) ++p;
  const char* digits = p;
  uint64_t magnitude = 0;
  bool overflow = false;
  while (p < cursor->end && IsDigit(*p)) {
    const uint64_t digit = *p++ - '0';
    if (p - digits > 19) {
      overflow |= __builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) ||
                  __builtin_add_overflow(magnitude, digit, &magnitude);
    } else {
      magnitude = magnitude * 10 + digit;
    }
  }
  if (p == digits || (p < cursor->end && IsIdentByte(*p))) {
    if constexpr (kIsPred<T>) {
      *value = cursor->EatWord("true");
      if (*value || cursor->EatWord("false")) return true;
    }
    return cursor->Fail(absl::StrCat("expected an integer, found '",
                                     cursor->Word(), "'"));
  }
  if (cursor->quirks) {
    overflow |= negative && magnitude > uint64_t{1} << 63;
    if (overflow) return cursor->Fail("this integer does not fit 64 bits");
    if (!negative && magnitude >> 63 != 0) {
      negative = true;
      magnitude = 0 - magnitude;
    }
  }
  if constexpr (kIsPred<T>) {
    *value = magnitude != 0 || overflow;
  } else {
    if (overflow || !FitsInteger<T>(negative, magnitude)) {
      return cursor->Fail(absl::StrCat(
          cursor->Word(), " does not fit ",
          PrimitiveTypeName(NativeTypeTraits<T>::type)));
    }
    *value = static_cast<T>(
        static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  }
  cursor->p = p;
  return true;
}

}  // namespace internal

// One element of type T at the cursor. False with error set.
template <typename T>
bool ReadElement(Cursor* cursor, T* value) {
  if constexpr (kIsComplex<T>) {
    using Part = typename T::value_type;
    if (cursor->Peek() != '(') {
      return cursor->Fail("expected a complex number (re, im)");
    }
    ++cursor->p;
    Part re, im;
    if (!cursor->Skip(false) || !internal::ReadFloat(cursor, &re) ||
        !cursor->Skip(false)) {
      return false;
    }
    if (cursor->Peek() != ',') return cursor->Fail("expected ',' in (re, im)");
    ++cursor->p;
    if (!cursor->Skip(false)) return false;
    if (!(cursor->quirks ? internal::ReadQuirkyImaginary(cursor, &im)
                         : internal::ReadFloat(cursor, &im))) {
      return false;
    }
    if (!cursor->Skip(false)) return false;
    if (cursor->Peek() != ')') return cursor->Fail("expected ')'");
    ++cursor->p;
    if (cursor->quirks && std::isnan(re)) im = re;
    *value = T(re, im);
    return true;
  } else if constexpr (kIsFloat<T>) {
    return internal::ReadFloat(cursor, value);
  } else {
    return internal::ReadInteger(cursor, value);
  }
}

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_ELEMENT_READER_H_
