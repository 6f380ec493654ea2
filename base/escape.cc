#include "base/escape.h"

#include <cstdint>
#include <cstring>

#include "base/status.h"

namespace hlokit {
namespace {

// The letter after the backslash for a byte that has one, else 0.
char LetterOf(char byte) {
  switch (byte) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '"':
    case '\'':
    case '\\':
      return byte;
    default:
      return 0;
  }
}

// The byte that a letter after the backslash means.
bool ByteOf(char letter, char* byte) {
  constexpr absl::string_view kLetters = "ntr\\\"'?abfv";
  constexpr absl::string_view kBytes = "\n\t\r\\\"'?\a\b\f\v";
  const size_t index = kLetters.find(letter);
  if (index == absl::string_view::npos) return false;
  *byte = kBytes[index];
  return true;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsOctalDigit(char c) { return c >= '0' && c <= '7'; }

// Reads one escape after another. All functions start and end with `at_` on the
// byte after what they read.
class Unescaper {
 public:
  explicit Unescaper(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::string> Run() {
    while (true) {
      const size_t backslash = text_.find('\\', at_);
      if (backslash == absl::string_view::npos) break;
      out_.append(text_.data() + at_, backslash - at_);
      escape_ = backslash;
      at_ = backslash + 1;
      HLOKIT_RETURN_IF_ERROR(Escape());
    }
    out_.append(text_.data() + at_, text_.size() - at_);
    return std::move(out_);
  }

 private:
  absl::Status Wrong(absl::string_view reason) const {
    return InvalidArgument("%s in the escape at byte %d", reason, escape_);
  }

  absl::Status Escape() {
    if (at_ == text_.size()) return Wrong("nothing follows the backslash");
    const char c = text_[at_];
    char byte;
    if (IsOctalDigit(c)) return Octal();
    ++at_;
    if (c == 'x' || c == 'X') return Hex();
    if (c == 'u') return CodePoint(4);
    if (c == 'U') return CodePoint(8);
    if (!ByteOf(c, &byte)) {
      return Wrong(absl::StrCat("'\\", CEscape(text_.substr(at_ - 1, 1)),
                                "' has no meaning"));
    }
    out_ += byte;
    return absl::OkStatus();
  }

  absl::Status AppendByte(uint32_t value) {
    if (value > 0xff) return Wrong("a value above 255");
    out_ += static_cast<char>(value);
    return absl::OkStatus();
  }

  absl::Status Octal() {
    uint32_t value = 0;
    for (int i = 0; i < 3 && at_ < text_.size() && IsOctalDigit(text_[at_]);
         ++i) {
      value = value * 8 + (text_[at_++] - '0');
    }
    return AppendByte(value);
  }

  absl::Status Hex() {
    const size_t begin = at_;
    uint32_t value = 0;
    while (at_ < text_.size() && HexDigit(text_[at_]) >= 0) {
      value = value * 16 + HexDigit(text_[at_++]);
      if (value > 0xff) return Wrong("a value above 255");
    }
    if (at_ == begin) return Wrong("no hexadecimal digit");
    return AppendByte(value);
  }

  absl::Status CodePoint(int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; ++i) {
      const int digit = at_ < text_.size() ? HexDigit(text_[at_]) : -1;
      if (digit < 0) {
        return Wrong(absl::StrCat("fewer than ", digits, " digits"));
      }
      value = value * 16 + digit;
      ++at_;
    }
    if (value > 0x10ffff) return Wrong("a code point above 10FFFF");
    if (value >= 0xd800 && value < 0xe000) return Wrong("a surrogate");
    AppendUtf8(value, &out_);
    return absl::OkStatus();
  }

  absl::string_view text_;
  size_t at_ = 0;
  size_t escape_ = 0;
  std::string out_;
};

}  // namespace

std::string CEscape(absl::string_view bytes) {
  std::string out;
  AppendCEscaped(bytes, &out);
  return out;
}

size_t CountPlainBytes(absl::string_view bytes) {
  // Eight at once; the high bit of a byte of `special` tells.
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHigh = 0x80 * kOnes;
  const auto zeros = [](uint64_t v) { return (v - kOnes) & ~v & kHigh; };
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t v;
    std::memcpy(&v, bytes.data() + i, 8);
    const uint64_t special =
        (v & kHigh) | ((v + kOnes) & kHigh) |       // from 0x7f on
        ((v - 0x20 * kOnes) & ~v & kHigh) |         // below 0x20
        zeros(v ^ ('"' * kOnes)) | zeros(v ^ ('\'' * kOnes)) |
        zeros(v ^ ('\\' * kOnes));
    if (special != 0) break;
  }
  while (i < bytes.size()) {
    const unsigned char byte = bytes[i];
    if (byte < 0x20 || byte >= 0x7f || LetterOf(bytes[i]) != 0) break;
    ++i;
  }
  return i;
}

std::string Printable(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F in UTF-8.
    const bool c1 = c == 0xc2 && i + 1 < text.size() &&
                    (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (c1) {
      AppendCEscaped(text.substr(i++, 2), &out);
    } else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      AppendCEscaped(text.substr(i, 1), &out);
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

void AppendCEscaped(absl::string_view bytes, std::string* out) {
  // Mostly there is nothing to escape: whole runs are appended.
  while (true) {
    const size_t plain = CountPlainBytes(bytes);
    out->append(bytes.data(), plain);
    if (plain == bytes.size()) return;
    const unsigned char byte = bytes[plain];
    const char letter = LetterOf(bytes[plain]);
    bytes.remove_prefix(plain + 1);
    if (letter != 0) {
      *out += '\\';
      *out += letter;
    } else {
      *out += '\\';
      *out += static_cast<char>('0' + (byte >> 6));
      *out += static_cast<char>('0' + ((byte >> 3) & 7));
      *out += static_cast<char>('0' + (byte & 7));
    }
  }
}

absl::StatusOr<std::string> CUnescape(absl::string_view text) {
  return Unescaper(text).Run();
}

void AppendUtf8(char32_t code_point, std::string* out) {
  const uint32_t c = code_point;
  if (c < 0x80) {
    *out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    *out += static_cast<char>(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    *out += static_cast<char>(0xe0 | (c >> 12));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  } else {
    *out += static_cast<char>(0xf0 | (c >> 18));
    *out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  }
  *out += static_cast<char>(0x80 | (c & 0x3f));
}

int Utf8SequenceLength(absl::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](size_t i) -> uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const uint32_t first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return continues(1) ? 2 : 0;
  // The second byte's range keeps out overlong forms, surrogates and what is
  // above 10FFFF (Unicode, table 3-7).
  if (first < 0xf0) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && at(1) < 0xa0) return 0;
    if (first == 0xed && at(1) > 0x9f) return 0;
    return 3;
  }
  if (first < 0xf5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && at(1) < 0x90) return 0;
    if (first == 0xf4 && at(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

}  // namespace hlokit
