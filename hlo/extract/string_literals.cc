#include "hlo/extract/string_literals.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/escape.h"
#include "hlo/extract/line_shapes.h"

namespace hlokit {
namespace {

constexpr size_t kNone = absl::string_view::npos;

bool IsQuote(char c) { return c == '"' || c == '\''; }

// \uXXXX at text[at], which is the "u"; 0 when the digits are wrong.
bool ReadUnit(absl::string_view text, size_t at, size_t digits,
              uint32_t* unit) {
  return at + 1 + digits <= text.size() &&
         absl::SimpleHexAtoi(text.substr(at + 1, digits), unit);
}

// Decodes the escape whose letter is text[at]; returns one past it.
size_t AppendEscape(absl::string_view text, size_t at, std::string* out) {
  switch (text[at]) {
    case 'n': *out += '\n'; return at + 1;
    case 'r': *out += '\r'; return at + 1;
    case 't': *out += '\t'; return at + 1;
    case 'b': *out += '\b'; return at + 1;
    case 'f': *out += '\f'; return at + 1;
    case '"':
    case '\'':
    case '\\':
    case '/': *out += text[at]; return at + 1;
    case '\n': return at + 1;  // the literal goes on in the next line
    case 'x': {
      uint32_t byte = 0;
      if (!ReadUnit(text, at, 2, &byte)) break;
      *out += static_cast<char>(byte);
      return at + 3;
    }
    case '0':
    case '1':
    case '2':
    case '3': {
      uint32_t byte = 0;
      size_t end = at;
      while (end < std::min(at + 3, text.size()) && text[end] >= '0' &&
             text[end] < '8') {
        byte = byte * 8 + (text[end++] - '0');
      }
      *out += static_cast<char>(byte);
      return end;
    }
    case 'U':
    case 'u': {
      const size_t digits = text[at] == 'u' ? 4 : 8;
      uint32_t unit = 0;
      if (!ReadUnit(text, at, digits, &unit)) break;
      size_t end = at + 1 + digits;
      uint32_t low = 0;
      if (unit >= 0xd800 && unit < 0xdc00 &&
          absl::StartsWith(text.substr(end), "\\u") &&
          ReadUnit(text, end + 1, 4, &low) && low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        end += 6;
      }
      if (unit > 0x10ffff || (unit >= 0xd800 && unit < 0xe000)) unit = 0xfffd;
      AppendUtf8(unit, out);
      return end;
    }
    default: break;
  }
  *out += '\\';
  *out += text[at];
  return at + 1;
}

// The end of the literal that holds `at`: its closing quote, or the end of the
// text. `quote` 0: there is no quote, the line ends it.
size_t EndOfLiteral(absl::string_view text, size_t at, char quote) {
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (quote == 0 ? text[at] == '\n' : text[at] == quote) {
      return at;
    }
  }
  return text.size();
}

bool StartsLiteralBehind(char c) {
  return absl::StrContains("[({=,:+ \tbBuUL", absl::string_view(&c, 1));
}

// The quote that opens the literal around `at`, and where its text begins. A
// quote opens one at the start of the line or behind what may precede a literal.
char OpeningQuote(absl::string_view line, size_t at, size_t* begin) {
  for (size_t i = at; i > 0;) {
    --i;
    if (!IsQuote(line[i])) continue;
    if (i > 0 && line[i - 1] == '\\') continue;
    if (i == 0 || StartsLiteralBehind(line[i - 1])) {
      *begin = i + 1;
      return line[i];
    }
  }
  *begin = at;
  return 0;
}

// Whether the first "\n" of two characters behind `at` is outside of the strings
// of HLO.
bool HasEscapedLineEnd(absl::string_view line, size_t at, char quote) {
  bool in_string = false;
  for (; at + 1 < line.size(); ++at) {
    if (line[at] == '\\') {
      size_t slashes = 1;
      while (at + slashes < line.size() && line[at + slashes] == '\\') ++slashes;
      const char next = at + slashes < line.size() ? line[at + slashes] : '\0';
      if (!in_string && next == 'n') return true;
      if (next == '"' && (quote == '"' || quote == 0)) in_string = !in_string;
      at += slashes;
    } else if (line[at] == '"') {
      if (quote == '"') return false;
      in_string = !in_string;
    } else if (line[at] == quote) {
      return false;
    }
  }
  return false;
}

// Skips what may be between two literals; false when it is something else.
bool SkipBetween(absl::string_view file, size_t* at, bool* comma) {
  *comma = false;
  size_t i = *at;
  while (i < file.size()) {
    const char c = file[i];
    if (IsQuote(c)) {
      *at = i + 1;
      return true;
    }
    if (c == ',') *comma = true;
    const bool prefix = absl::StrContains("bBuUrRL", absl::string_view(&c, 1)) &&
                        i + 1 < file.size() && IsQuote(file[i + 1]);
    if (!prefix &&
        !absl::StrContains(" \t\r\n,+\\()", absl::string_view(&c, 1))) {
      return false;
    }
    ++i;
  }
  return false;
}

// Whether the text is a key of a JSON object: "TEXT":
bool IsKey(absl::string_view file, size_t end) {
  return absl::StartsWith(
      absl::StripLeadingAsciiWhitespace(file.substr(end, 16)), ":");
}

// Whether the literal that begins at `at` ends within the line, and another
// literal or the line's end follows: a list of lines, or a long string that was
// cut into several.
bool IsOneOfSeveral(absl::string_view line, size_t at, char quote) {
  const size_t end = EndOfLiteral(line, at, quote);
  if (end >= line.size()) return false;
  absl::string_view rest =
      absl::StripAsciiWhitespace(line.substr(end + 1));
  absl::ConsumePrefix(&rest, ",");
  rest = absl::StripLeadingAsciiWhitespace(rest);
  return rest.empty() || IsQuote(rest[0]);
}

}  // namespace

std::string UnescapeLiteral(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at++];
    } else {
      at = AppendEscape(text, at + 1, &out);
    }
  }
  return out;
}

size_t FindEscapedModule(absl::string_view line) {
  for (absl::string_view word : {"HloModule ", "ENTRY "}) {
    const size_t at = line.find(word);
    if (at == kNone) continue;
    size_t begin = 0;
    const char quote = OpeningQuote(line, at, &begin);
    if (HasEscapedLineEnd(line, at, quote) ||
        (quote != 0 && begin == at && IsOneOfSeveral(line, at, quote))) {
      return begin;
    }
    return kNone;
  }
  return kNone;
}

LiteralRun ReadLiterals(absl::string_view file, size_t at) {
  LiteralRun run;
  char quote = at > 0 && IsQuote(file[at - 1]) ? file[at - 1] : '\0';
  for (;;) {
    const size_t end = EndOfLiteral(file, at, quote);
    const std::string piece = UnescapeLiteral(file.substr(at, end - at));
    run.text += piece;
    run.end = std::min(end + (quote != 0), file.size());
    bool comma = false;
    at = run.end;
    if (quote == 0 || !SkipBetween(file, &at, &comma)) return run;
    quote = file[at - 1];
    if (IsKey(file, EndOfLiteral(file, at, quote) + 1)) return run;
    if (comma && !absl::EndsWith(piece, "\n")) run.text += '\n';
  }
}

std::string JsonKeyAround(absl::string_view line, size_t place) {
  line = absl::StripAsciiWhitespace(line);
  if (!absl::StartsWith(line, "{") || !absl::EndsWith(line, "}")) return "";
  size_t begin = 0;
  if (OpeningQuote(line, std::min(place, line.size()), &begin) != '"') return "";
  absl::string_view before = absl::StripTrailingAsciiWhitespace(
      line.substr(0, begin - 1));
  if (!absl::ConsumeSuffix(&before, ":")) return "";
  before = absl::StripTrailingAsciiWhitespace(before);
  if (!absl::ConsumeSuffix(&before, "\"")) return "";
  const size_t quote = before.rfind('"');
  if (quote == kNone) return "";
  return std::string(before.substr(quote + 1));
}

bool JsonStringOf(absl::string_view line, absl::string_view key,
                  std::string* value) {
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "{")) {
    return false;
  }
  const std::string quoted = absl::StrCat("\"", key, "\"");
  const size_t at = line.find(quoted);
  if (at == kNone) return false;
  absl::string_view rest =
      absl::StripLeadingAsciiWhitespace(line.substr(at + quoted.size()));
  if (!absl::ConsumePrefix(&rest, ":")) return false;
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::ConsumePrefix(&rest, "\"")) return false;
  *value = UnescapeLiteral(rest.substr(0, EndOfLiteral(rest, 0, '"')));
  return true;
}

}  // namespace hlokit
