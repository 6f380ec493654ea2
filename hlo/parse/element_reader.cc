#include "hlo/parse/element_reader.h"

#include <cstring>

namespace hlokit::parse {

bool Cursor::Skip(bool commas) {
  while (p < end) {
    if (IsBlank(*p) || (commas && *p == ',')) {
      ++p;
    } else if (*p == '/' && end - p >= 2 && p[1] == '*') {
      const char* q = p + 2;
      while (q + 1 < end && !(q[0] == '*' && q[1] == '/')) ++q;
      if (q + 1 >= end) return Fail("this comment does not end");
      p = q + 2;
    } else if (*p == '/' && end - p >= 2 && p[1] == '/') {
      while (p < end && *p != '\n' && *p != '\r') ++p;
    } else {
      return true;
    }
  }
  return true;
}

absl::string_view Cursor::Word() const {
  constexpr size_t kLongest = 40;
  const char* q = p;
  if (q < end && *q == '-') ++q;
  while (q < end && IsIdentByte(*q) && q - p < static_cast<int>(kLongest)) ++q;
  if (q == p && q < end) ++q;
  return absl::string_view(p, q - p);
}

bool Cursor::EatWord(absl::string_view word) {
  if (static_cast<size_t>(end - p) < word.size() ||
      std::memcmp(p, word.data(), word.size()) != 0) {
    return false;
  }
  const char* q = p + word.size();
  if (q < end && IsIdentByte(*q)) return false;
  p = q;
  return true;
}

bool ReadNan(Cursor* cursor, bool* negative, uint64_t* payload) {
  *negative = cursor->Peek() == '-';
  *payload = 0;
  if (!cursor->EatWord(*negative ? "-nan" : "nan")) return false;
  if (cursor->Peek() != '(') return true;
  const char* digits = cursor->p + 3;
  if (cursor->end - cursor->p < 5 || cursor->p[1] != '0' ||
      cursor->p[2] != 'x') {
    return cursor->Fail("a NaN payload looks like (0x1)");
  }
  const auto result =
      std::from_chars(digits, cursor->end, *payload, /*base=*/16);
  if (result.ec == std::errc::invalid_argument || result.ptr == cursor->end ||
      *result.ptr != ')') {
    return cursor->Fail("a NaN payload looks like (0x1)");
  }
  if (result.ec != std::errc() || *payload == 0 || *payload >> 52 != 0) {
    return cursor->Fail("a NaN payload lies between 0x1 and 0xfffffffffffff");
  }
  cursor->p = result.ptr + 1;
  return true;
}

bool ReadQuirkyDouble(Cursor* cursor, double* value) {
  const bool negative = cursor->Peek() == '-';
  uint64_t magnitude = 0;
  const auto [end, code] =
      std::from_chars(cursor->p + negative, cursor->end, magnitude);
  if (code == std::errc::invalid_argument ||
      (end < cursor->end && IsIdentByte(*end))) {
    return ReadFiniteDouble(cursor, value);
  }
  if (code != std::errc() || (negative && magnitude > uint64_t{1} << 63)) {
    return cursor->Fail("this integer does not fit 64 bits");
  }
  *value = static_cast<double>(
      static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  cursor->p = end;
  return true;
}

bool ReadFiniteDouble(Cursor* cursor, double* value) {
  auto [end, code] = std::from_chars(cursor->p, cursor->end, *value);
  if (code == std::errc::result_out_of_range) {
    // The standard function does not tell zero from infinity.
    absl::from_chars(cursor->p, end, *value);
    if (std::abs(*value) > 1) {
      return cursor->Fail(absl::StrCat(cursor->Word(), " is too large"));
    }
  } else if (code != std::errc()) {
    return cursor->Fail(absl::StrCat("expected a number, found '",
                                     cursor->Word(), "'"));
  }
  if (end < cursor->end && IsIdentByte(*end)) {
    return cursor->Fail(absl::StrCat("'", cursor->Word(), "' is no number"));
  }
  cursor->p = end;
  return true;
}

}  // namespace hlokit::parse
