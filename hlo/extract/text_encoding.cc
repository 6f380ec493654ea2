#include "hlo/extract/text_encoding.h"

#include <algorithm>
#include <cstdint>


#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/escape.h"

namespace hlokit {
namespace {

struct UnitForm {
  TextEncoding encoding;
  absl::string_view name;
  absl::string_view mark;
  int unit_bytes;
  bool big_endian;
};

// UTF-32 comes first: its little-endian mark starts with that of UTF-16.
constexpr UnitForm kUnitForms[] = {
    {TextEncoding::kUtf32Little, "UTF-32 (little endian)",
     absl::string_view("\xff\xfe\0\0", 4), 4, false},
    {TextEncoding::kUtf32Big, "UTF-32 (big endian)",
     absl::string_view("\0\0\xfe\xff", 4), 4, true},
    {TextEncoding::kUtf16Little, "UTF-16 (little endian)", "\xff\xfe", 2,
     false},
    {TextEncoding::kUtf16Big, "UTF-16 (big endian)", "\xfe\xff", 2, true},
};

const UnitForm* FormOf(TextEncoding encoding) {
  for (const UnitForm& form : kUnitForms) {
    if (form.encoding == encoding) return &form;
  }
  return nullptr;
}

bool IsAsciiText(unsigned char c) {
  return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
}

// Whether the first units are ASCII. Protos whose lengths happen to be zero or
// printable do not look so for this long.
bool IsAsciiInUnits(absl::string_view bytes, const UnitForm& form) {
  constexpr int kUnits = 8;
  const int n = form.unit_bytes;
  if (bytes.size() < static_cast<size_t>(kUnits * n)) return false;
  for (int i = 0; i < kUnits * n; ++i) {
    const bool is_low = i % n == (form.big_endian ? n - 1 : 0);
    const unsigned char byte = bytes[i];
    if (is_low ? !IsAsciiText(byte) : byte != 0) return false;
  }
  return true;
}

uint32_t UnitAt(absl::string_view bytes, size_t at, const UnitForm& form) {
  uint32_t unit = 0;
  for (int i = 0; i < form.unit_bytes; ++i) {
    const int place = form.big_endian ? i : form.unit_bytes - 1 - i;
    unit = unit << 8 | static_cast<unsigned char>(bytes[at + place]);
  }
  return unit;
}

}  // namespace

TextEncoding DetectTextEncoding(absl::string_view bytes) {
  if (absl::StartsWith(bytes, kUtf8Mark)) return TextEncoding::kUtf8Mark;
  for (const UnitForm& form : kUnitForms) {
    if (absl::StartsWith(bytes, form.mark)) return form.encoding;
  }
  for (const UnitForm& form : kUnitForms) {
    if (IsAsciiInUnits(bytes, form)) return form.encoding;
  }
  return TextEncoding::kPlain;
}

absl::string_view TextEncodingName(TextEncoding encoding) {
  const UnitForm* form = FormOf(encoding);
  return form == nullptr ? "UTF-8" : form->name;
}

std::string ToUtf8(absl::string_view bytes, TextEncoding encoding) {
  const UnitForm* form = FormOf(encoding);
  if (form == nullptr) return std::string(absl::StripPrefix(bytes, kUtf8Mark));
  if (absl::StartsWith(bytes, form->mark)) {
    bytes.remove_prefix(form->mark.size());
  }
  std::string text;
  text.reserve(bytes.size() / form->unit_bytes);
  constexpr uint32_t kReplacement = 0xfffd;
  for (size_t at = 0; at + form->unit_bytes <= bytes.size();
       at += form->unit_bytes) {
    uint32_t unit = UnitAt(bytes, at, *form);
    if (form->unit_bytes == 2 && unit >= 0xd800 && unit < 0xdc00 &&
        at + 4 <= bytes.size()) {
      const uint32_t low = UnitAt(bytes, at + 2, *form);
      if (low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        at += 2;
      }
    }
    if (unit > 0x10ffff || (unit >= 0xd800 && unit < 0xe000)) {
      unit = kReplacement;
    }
    AppendUtf8(unit, &text);
  }
  return text;
}

std::string DecodeBase64Text(absl::string_view text) {
  constexpr size_t kLeast = 24;
  text = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(text, "data:")) {
    constexpr absl::string_view kMark = ";base64,";
    const size_t at = text.substr(0, 200).find(kMark);
    if (at == text.npos) return "";
    text.remove_prefix(at + kMark.size());
  }
  absl::ConsumePrefix(&text, "b");
  for (absl::string_view quote : {"\"", "'"}) {
    if (absl::ConsumePrefix(&text, quote)) absl::ConsumeSuffix(&text, quote);
  }
  if (text.size() < kLeast) return "";
  bool url_safe = false;
  for (const char c : text) {
    url_safe |= c == '-' || c == '_';
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains("+/=-_ \t\r\n", absl::string_view(&c, 1))) {
      return "";
    }
  }
  std::string bytes;
  if (url_safe ? !absl::WebSafeBase64Unescape(text, &bytes)
               : !absl::Base64Unescape(text, &bytes)) {
    return "";
  }
  for (absl::string_view start :
       {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\x0a", "HloModule", "\xef\xbb\xbf"}) {
    if (absl::StartsWith(bytes, start)) return bytes;
  }
  return "";
}

}  // namespace hlokit
