#include "hlo/parse/text_parser.h"

#include <charconv>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "base/stack.h"

namespace hlokit::parse {
namespace {

std::string Quoted(absl::string_view text) {
  constexpr size_t kLongest = 40;
  std::string shown(text.substr(0, kLongest));
  if (text.size() > kLongest) shown += "...";
  return absl::StrCat("'", CEscape(shown), "'");
}

}  // namespace

TextParser::TextParser(absl::string_view text, Diagnostics* diagnostics,
                       const ParseOptions& options)
    : lexer_(text),
      diagnostics_(diagnostics),
      options_(options),
      tables_(Tables::Get()) {}

bool TextParser::Enter() {
  if (++depth_ <= options_.max_nesting && !StackIsLow()) return true;
  too_deep_ = true;
  return ErrorHere(absl::StrCat("nested too deeply, more than ", depth_ - 1,
                                " levels"));
}

bool TextParser::Error(size_t offset, std::string message) {
  diagnostics_->Error(std::move(message), offset);
  return false;
}

bool TextParser::Unexpected(absl::string_view wanted) {
  switch (lexer_.kind()) {
    case Tok::kError:
      return ErrorHere(lexer_.error());
    case Tok::kEof:
      return ErrorHere(
          absl::StrCat("the text ends where ", wanted, " should follow"));
    default:
      return ErrorHere(absl::StrCat(
          "expected ", wanted, ", found ",
          Quoted(lexer_.text().substr(token().begin,
                                      token().end - token().begin))));
  }
}

bool TextParser::ExpectAttr(absl::string_view name) {
  if (EatAttr(name)) return true;
  return Unexpected(absl::StrCat("'", name, "='"));
}

bool TextParser::ExpectEnd() {
  return Is(Tok::kEof) || Unexpected("the end of the text");
}

bool TextParser::ParseInt64(int64_t* value) {
  if (!Is(Tok::kInt)) return Unexpected("an integer");
  if (token().special) return ErrorHere("this integer does not fit 64 bits");
  *value = token().value;
  lexer_.Next();
  return true;
}

bool TextParser::ParseNonNegative(int64_t* value, absl::string_view what) {
  const size_t offset = token().begin;
  if (!ParseInt64(value)) return false;
  if (*value >= 0) return true;
  return Error(offset, absl::StrCat(what, " cannot be negative or above 2^63"));
}

bool TextParser::ParseInt32(int32_t* value) {
  const size_t offset = token().begin;
  int64_t wide;
  if (!ParseInt64(&wide)) return false;
  *value = static_cast<int32_t>(wide);
  if (*value == wide) return true;
  return Error(offset, absl::StrCat(wide, " does not fit 32 bits"));
}

bool TextParser::ParseBool(bool* value) {
  if (IsWord("true") || IsWord("false")) {
    *value = token().text == "true";
    lexer_.Next();
    return true;
  }
  return Unexpected("true or false");
}

bool TextParser::ParseNumber(double* value) {
  const absl::string_view text = token().text;
  if (IsWord("inf")) {
    *value = std::numeric_limits<double>::infinity();
  } else if (IsWord("nan") || Is(Tok::kNan)) {
    *value = std::numeric_limits<double>::quiet_NaN();
    if (text[0] == '-') *value = -*value;
  } else if (Is(Tok::kInt) || Is(Tok::kDecimal)) {
    if (text == "-inf") {
      *value = -std::numeric_limits<double>::infinity();
    } else {
      const auto result =
          std::from_chars(text.data(), text.data() + text.size(), *value);
      if (result.ec == std::errc::result_out_of_range) {
        // Too large or too small; only the exponent's sign tells.
        if (!absl::StrContains(text, "e-") && !absl::StrContains(text, "E-")) {
          return ErrorHere(absl::StrCat(text, " is too large"));
        }
        *value = text[0] == '-' ? -0.0 : 0.0;
      }
    }
  } else {
    return Unexpected("a number");
  }
  lexer_.Next();
  return true;
}

bool TextParser::Unescaped(std::string* value) {
  if (!token().special) {
    value->assign(token().text.data(), token().text.size());
    return true;
  }
  absl::StatusOr<std::string> text = CUnescape(token().text);
  if (!text.ok()) {
    return ErrorHere(absl::StrCat("bad escape in this string: ",
                                  text.status().message()));
  }
  *value = *std::move(text);
  return true;
}

bool TextParser::ParseString(std::string* value) {
  if (!Is(Tok::kString)) return Unexpected("a quoted string");
  if (!Unescaped(value)) return false;
  lexer_.Next();
  return true;
}

size_t TextParser::MatchingBrace(size_t begin) const {
  const absl::string_view text = lexer_.text();
  int64_t depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return i + 1;
        break;
      case '/':  // maybe a comment: not worth the trouble
        return 0;
      case '"':
      case '\'': {
        const size_t close = text.find(text[i], i + 1);
        if (close == absl::string_view::npos) return 0;
        if (text.substr(i, close - i).find('\\') != absl::string_view::npos) {
          return 0;
        }
        i = close;
        break;
      }
      default:
        break;
    }
  }
  return 0;
}

}  // namespace hlokit::parse
