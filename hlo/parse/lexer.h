// Cuts HLO text into tokens.
//
// Works on the bytes themselves: a token is a piece of the text, and nothing is
// allocated. What only some places of the grammar understand ("3x3", "b01f_...",
// "{json}") is not made into tokens here; the parser of that place scans the
// bytes from the token's begin and goes on with Reset().
//
// Specification: the token table of docs/hlo-text.md.
#ifndef HLOKIT_HLO_PARSE_LEXER_H_
#define HLOKIT_HLO_PARSE_LEXER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace hlokit::parse {

enum class Tok : uint8_t {
  kEof,
  kError,    // Lexer::error() says why
  kName,     // %name, or name with ':' behind it (eaten)
  kAttr,     // name with '=' behind it (eaten)
  kIdent,    // any other name: keyword, type, opcode, ...
  kInt,      // -?digits
  kDecimal,  // with '.' or exponent; -inf; nan and -nan are kIdent / kNan
  kNan,      // -nan, -nan(0x1), nan(0x1)
  kString,
  kArrow,    // ->
  kDots,     // ...
  kLessEq,   // <=
  kEqual,
  kComma,
  kColon,
  kStar,
  kQuestion,
  kHash,
  kPlus,
  kTilde,
  kLSquare,
  kRSquare,
  kLBrace,
  kRBrace,
  kLParen,
  kRParen,
};

struct Token {
  Tok kind = Tok::kEof;
  // kString: has backslashes. kInt: does not fit 64 bits.
  bool special = false;
  size_t begin = 0;  // in the text, at the '%' or quote
  size_t end = 0;    // behind an eaten ':' or '='
  // kName, kAttr, kIdent: the bare name. kString: what the quotes hold, still
  // escaped. Numbers: as written.
  absl::string_view text;
  // kInt: the value; of numbers above int64 max the bits of the uint64.
  int64_t value = 0;
};

namespace internal {
enum CharClass : uint8_t {
  kOther = 0,
  kIdentStart = 1,  // letter, '_'
  kDigit = 2,
  kIdentMore = 4,   // '.', '-'
  kBlank = 8,
};
extern const std::array<uint8_t, 256> kCharClass;
inline uint8_t ClassOf(char c) {
  return kCharClass[static_cast<unsigned char>(c)];
}
}  // namespace internal

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsIdentStart(char c) {
  return internal::ClassOf(c) & internal::kIdentStart;
}
inline bool IsIdentByte(char c) {
  using namespace internal;
  return ClassOf(c) & (kIdentStart | kDigit | kIdentMore);
}
inline bool IsBlank(char c) { return internal::ClassOf(c) & internal::kBlank; }

class Lexer {
 public:
  // Reads the first token. `text` must outlive the lexer.
  explicit Lexer(absl::string_view text);

  const Token& token() const { return token_; }
  Tok kind() const { return token_.kind; }
  absl::string_view text() const { return {begin_, size()}; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }
  // The byte right behind the token, 0 at the end.
  char after() const { return ByteAt(token_.end); }
  char ByteAt(size_t offset) const {
    return offset < size() ? begin_[offset] : '\0';
  }

  void Next() { Scan(begin_ + token_.end); }
  // Reads the token at or behind `offset`.
  void Reset(size_t offset) { Scan(begin_ + offset); }
  // `offset`, moved past blanks and comments (an unterminated comment: as it
  // stands).
  size_t SkipBlanks(size_t offset) const;
  // What is wrong with a token of kind kError.
  const std::string& error() const { return error_; }

 private:
  void Scan(const char* p);
  void ScanIdent(const char* p);
  void ScanNumber(const char* p);
  void ScanString(const char* p);
  bool ScanNanPayload(const char* p);
  void Make(Tok kind, const char* begin, const char* end) {
    token_.kind = kind;
    token_.begin = begin - begin_;
    token_.end = end - begin_;
    token_.text = absl::string_view(begin, end - begin);
  }
  void Fail(const char* at, std::string message);

  const char* begin_;
  const char* end_;
  Token token_;
  std::string error_;
};

// Scans a JSON dictionary: text[begin] is '{'; the offset behind the matching
// '}', or npos. Braces inside "..." do not count.
size_t ScanJsonDict(absl::string_view text, size_t begin);

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_LEXER_H_
