#include "hlo/parse/lexer.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"

namespace hlokit::parse {
namespace internal {

const std::array<uint8_t, 256> kCharClass = [] {
  std::array<uint8_t, 256> table = {};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = kIdentStart;
  table['_'] = kIdentStart;
  for (int c = '0'; c <= '9'; ++c) table[c] = kDigit;
  table['.'] = table['-'] = kIdentMore;
  table[' '] = table['\t'] = table['\n'] = table['\r'] = kBlank;
  return table;
}();

}  // namespace internal

namespace {

// The end of the blanks and comments at `p`; null: a comment does not end.
const char* SkipBlanksFrom(const char* p, const char* end) {
  while (p < end) {
    if (IsBlank(*p)) {
      ++p;
      continue;
    }
    if (*p != '/' || end - p < 2) return p;
    if (p[1] == '/') {
      while (p < end && *p != '\n' && *p != '\r') ++p;
    } else if (p[1] == '*') {
      const char* star = p + 2;
      do {
        star = static_cast<const char*>(std::memchr(star, '*', end - star));
        if (star == nullptr || star + 1 == end) return nullptr;
        ++star;
      } while (*star != '/');
      p = star + 1;
    } else {
      return p;
    }
  }
  return p;
}

std::string NameOfByte(char c) {
  const unsigned char u = c;
  if (u > 0x20 && u < 0x7f) return absl::StrFormat("'%c'", c);
  return absl::StrFormat("byte 0x%02x", u);
}

// What every single-byte token is; kError elsewhere.
constexpr std::array<Tok, 128> kPunctuation = [] {
  std::array<Tok, 128> table = {};
  for (Tok& t : table) t = Tok::kError;
  table['='] = Tok::kEqual;
  table[','] = Tok::kComma;
  table[':'] = Tok::kColon;
  table['*'] = Tok::kStar;
  table['?'] = Tok::kQuestion;
  table['#'] = Tok::kHash;
  table['+'] = Tok::kPlus;
  table['~'] = Tok::kTilde;
  table['['] = Tok::kLSquare;
  table[']'] = Tok::kRSquare;
  table['{'] = Tok::kLBrace;
  table['}'] = Tok::kRBrace;
  table['('] = Tok::kLParen;
  table[')'] = Tok::kRParen;
  return table;
}();

}  // namespace

Lexer::Lexer(absl::string_view text)
    : begin_(text.data()), end_(text.data() + text.size()) {
  if (begin_ == nullptr) begin_ = end_ = "";
  Scan(begin_);
}

void Lexer::Fail(const char* at, std::string message) {
  Make(Tok::kError, at, at < end_ ? at + 1 : at);
  error_ = std::move(message);
}

size_t Lexer::SkipBlanks(size_t offset) const {
  const char* p = SkipBlanksFrom(begin_ + offset, end_);
  return p == nullptr ? offset : p - begin_;
}

void Lexer::Scan(const char* p) {
  // Most tokens have one blank or none before them.
  if (p < end_ && *p == ' ') ++p;
  if (p < end_ && (IsBlank(*p) || *p == '/')) {
    const char* start = p;
    p = SkipBlanksFrom(p, end_);
    if (p == nullptr) {
      const char* open = start;
      while (IsBlank(*open)) ++open;
      return Fail(open, "this comment does not end");
    }
  }
  if (p >= end_) return Make(Tok::kEof, end_, end_);
  const uint8_t c = *p;
  const uint8_t char_class = internal::kCharClass[c];
  if (char_class & internal::kIdentStart) return ScanIdent(p);
  if (c == '%') {
    const char* q = p + 1;
    if (q == end_ || !IsIdentStart(*q)) {
      return Fail(p, "a name must follow '%'");
    }
    while (q < end_ && IsIdentByte(*q)) ++q;
    Make(Tok::kName, p, q);
    token_.text.remove_prefix(1);
    return;
  }
  if (char_class & internal::kDigit) return ScanNumber(p);
  if (c < 128 && kPunctuation[c] != Tok::kError) {
    return Make(kPunctuation[c], p, p + 1);
  }
  switch (c) {
    case '"':
    case '\'':
      return ScanString(p);
    case '-':
      if (p + 1 < end_ && p[1] == '>') return Make(Tok::kArrow, p, p + 2);
      return ScanNumber(p);
    case '<':
      if (p + 1 < end_ && p[1] == '=') return Make(Tok::kLessEq, p, p + 2);
      return Fail(p, "'<' must be followed by '='");
    case '.':
      if (end_ - p >= 3 && p[1] == '.' && p[2] == '.') {
        return Make(Tok::kDots, p, p + 3);
      }
      if (p + 1 < end_ && IsDigit(p[1])) {
        return Fail(p, "a number cannot begin with '.'; write 0 before it");
      }
      return Fail(p, "unexpected '.'");
    case '\0':
      return Fail(p, "a zero byte: this is no text");
    default:
      return Fail(p, "unexpected " + NameOfByte(c));
  }
}

void Lexer::ScanIdent(const char* p) {
  const char* q = p + 1;
  while (q < end_ && IsIdentByte(*q)) ++q;
  if (q < end_) {
    if (*q == '=') {
      Make(Tok::kAttr, p, q + 1);
      token_.text.remove_suffix(1);
      return;
    }
    if (*q == ':') {
      Make(Tok::kName, p, q + 1);
      token_.text.remove_suffix(1);
      return;
    }
    if (*q == '(' && q - p == 3 && std::memcmp(p, "nan", 3) == 0 &&
        ScanNanPayload(p)) {
      return;
    }
  }
  Make(Tok::kIdent, p, q);
}

// "nan(0xHEX)" at `p`, a '-' before it included.
bool Lexer::ScanNanPayload(const char* p) {
  const char* q = p + (*p == '-' ? 4 : 3);
  if (end_ - q < 5 || q[0] != '(' || q[1] != '0' || q[2] != 'x') return false;
  q += 3;
  const char* digits = q;
  while (q < end_ && ((*q >= '0' && *q <= '9') || (*q >= 'a' && *q <= 'f') ||
                      (*q >= 'A' && *q <= 'F'))) {
    ++q;
  }
  if (q == digits || q == end_ || *q != ')') return false;
  Make(Tok::kNan, p, q + 1);
  return true;
}

void Lexer::ScanNumber(const char* p) {
  const bool negative = *p == '-';
  const char* q = negative ? p + 1 : p;
  const char* digits = q;
  uint64_t value = 0;
  while (q < end_ && IsDigit(*q)) value = value * 10 + (*q++ - '0');
  const bool has_digits = q > digits;
  if (!has_digits) {
    const absl::string_view rest(q, end_ - q);
    if (rest.substr(0, 3) == "inf") return Make(Tok::kDecimal, p, q + 3);
    if (rest.substr(0, 3) == "nan") {
      if (ScanNanPayload(p)) return;
      return Make(Tok::kNan, p, q + 3);
    }
    if (q + 1 >= end_ || *q != '.' || !IsDigit(q[1])) {
      return Fail(p, "'-' is neither a number nor '->'");
    }
  }
  bool decimal = false;
  const bool dots = end_ - q >= 3 && q[0] == '.' && q[1] == '.' && q[2] == '.';
  if (q < end_ && *q == '.' && !dots) {
    decimal = true;
    ++q;
    while (q < end_ && IsDigit(*q)) ++q;
  }
  if (q < end_ && (*q == 'e' || *q == 'E')) {
    const char* e = q + 1;
    if (e < end_ && (*e == '+' || *e == '-')) ++e;
    if (e < end_ && IsDigit(*e)) {
      decimal = true;
      q = e;
      while (q < end_ && IsDigit(*q)) ++q;
    }
  }
  Make(decimal ? Tok::kDecimal : Tok::kInt, p, q);
  if (decimal) return;
  token_.special = false;
  // 19 digits always fit 64 bits; longer numbers are read again with care.
  if (q - digits > 19) {
    value = 0;
    for (const char* d = digits; d < q; ++d) {
      if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
          __builtin_add_overflow(value, uint64_t(*d - '0'), &value)) {
        token_.special = true;
      }
    }
  }
  if (negative) {
    if (value > uint64_t{1} << 63) token_.special = true;
    value = 0 - value;
  }
  token_.value = static_cast<int64_t>(value);
}

void Lexer::ScanString(const char* p) {
  const char quote = *p;
  const char* q = p + 1;
  bool escaped = false;
  while (true) {
    const char* close =
        static_cast<const char*>(std::memchr(q, quote, end_ - q));
    if (close == nullptr) return Fail(p, "this string does not end");
    const char* backslash =
        static_cast<const char*>(std::memchr(q, '\\', close - q));
    if (backslash == nullptr) {
      Make(Tok::kString, p, close + 1);
      token_.text.remove_prefix(1);
      token_.text.remove_suffix(1);
      token_.special = escaped;
      return;
    }
    escaped = true;
    q = backslash + 2;
    if (q > end_) return Fail(p, "this string does not end");
  }
}

size_t ScanJsonDict(absl::string_view text, size_t begin) {
  int64_t depth = 0;
  bool in_string = false;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

}  // namespace hlokit::parse
