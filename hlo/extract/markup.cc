#include "hlo/extract/markup.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/escape.h"
#include "hlo/extract/line_shapes.h"

namespace hlokit {
namespace {

struct Entity {
  absl::string_view name;
  absl::string_view text;
};

constexpr Entity kEntities[] = {
    {"gt", ">"},      {"lt", "<"},      {"quot", "\""},  {"amp", "&"},
    {"apos", "'"},    {"nbsp", " "},    {"ensp", " "},   {"emsp", " "},
    {"ldquo", "\""},  {"rdquo", "\""},  {"lsquo", "'"},  {"rsquo", "'"},
    {"ndash", "-"},   {"mdash", "-"},   {"minus", "-"},  {"hyphen", "-"},
    {"rarr", "->"},   {"le", "<="},     {"hellip", "..."}, {"lcub", "{"},
    {"lbrace", "{"},  {"rcub", "}"},    {"rbrace", "}"}, {"lsqb", "["},
    {"lbrack", "["},  {"rsqb", "]"},    {"rbrack", "]"}, {"lpar", "("},
    {"rpar", ")"},    {"equals", "="},  {"comma", ","},  {"colon", ":"},
    {"num", "#"},     {"percnt", "%"},  {"lowbar", "_"}, {"period", "."},
    {"sol", "/"},     {"bsol", "\\"},   {"ast", "*"},    {"Tab", "\t"},
    {"NewLine", "\n"}, {"shy", ""},     {"zwnj", ""},    {"zwj", ""}};

constexpr absl::string_view kTags[] = {
    "a",     "article", "b",    "blockquote", "body",  "br",     "button",
    "code",  "div",     "dd",   "dl",         "dt",    "em",     "figure",
    "font",  "footer",  "h1",   "h2",         "h3",    "h4",     "h5",
    "h6",    "head",    "header", "hr",       "html",  "i",      "img",
    "kbd",   "li",      "link", "main",       "mark",  "meta",   "nav",
    "ol",    "p",       "pre",  "s",          "samp",  "script", "section",
    "small", "span",    "strong", "style",    "sub",   "summary", "sup",
    "details", "table", "tbody", "td",        "th",    "thead",  "title",
    "tr",    "tt",      "u",    "ul",         "var",   "wbr"};

// Unicode characters that editors and web pages put in the place of ASCII ones.
struct Twin {
  absl::string_view utf8;
  absl::string_view ascii;
};

constexpr Twin kTwins[] = {
    {"\u00a0", " "},  {"\u1680", " "},  {"\u2000", " "},   {"\u2001", " "},
    {"\u2002", " "},  {"\u2003", " "},  {"\u2004", " "},   {"\u2005", " "},
    {"\u2006", " "},  {"\u2007", " "},  {"\u2008", " "},   {"\u2009", " "},
    {"\u200a", " "},  {"\u202f", " "},  {"\u205f", " "},   {"\u3000", " "},
    {"\u00ad", ""},   {"\u180e", ""},   {"\u200b", ""},    {"\u200c", ""},
    {"\u200d", ""},   {"\u200e", ""},   {"\u200f", ""},    {"\u202a", ""},
    {"\u202b", ""},   {"\u202c", ""},   {"\u202d", ""},    {"\u202e", ""},
    {"\u2060", ""},   {"\u2066", ""},   {"\u2067", ""},    {"\u2068", ""},
    {"\u2069", ""},   {"\ufeff", ""},   {"\u201c", "\""},  {"\u201d", "\""},
    {"\u201e", "\""}, {"\u201f", "\""}, {"\u2033", "\""},  {"\u00ab", "\""},
    {"\u00bb", "\""}, {"\uff02", "\""}, {"\u2018", "'"},   {"\u2019", "'"},
    {"\u201a", "'"},  {"\u201b", "'"},  {"\u2032", "'"},   {"\u2010", "-"},
    {"\u2011", "-"},  {"\u2012", "-"},  {"\u2013", "-"},   {"\u2014", "-"},
    {"\u2212", "-"},  {"\ufe63", "-"},  {"\uff0d", "-"},   {"\u2192", "->"},
    {"\u27f6", "->"}, {"\u2264", "<="}, {"\u2026", "..."}, {"\u0085", "\n"},
    {"\u2028", "\n"}, {"\u2029", "\n"}, {"\uff1d", "="},   {"\uff0c", ","},
    {"\uff05", "%"},  {"\uff08", "("},  {"\uff09", ")"},   {"\uff3b", "["},
    {"\uff3d", "]"},  {"\uff5b", "{"},  {"\uff5d", "}"},   {"\uff1a", ":"}};

const Twin* FindTwin(absl::string_view character) {
  for (const Twin& twin : kTwins) {
    if (twin.utf8 == character) return &twin;
  }
  return nullptr;
}

// Bytes of Windows-1252 that are not UTF-8.
absl::string_view TwinOfByte(unsigned char byte) {
  switch (byte) {
    case 0xa0: return " ";
    case 0x91:
    case 0x92: return "'";
    case 0x93:
    case 0x94: return "\"";
    case 0x96:
    case 0x97: return "-";
    default: return "";
  }
}

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// The length of the escape sequence behind its introducer "[", "]" or another.
size_t SequenceLength(absl::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '[') {
    size_t n = 1;
    while (n < text.size() && text[n] >= 0x20 && text[n] < 0x40) ++n;
    return std::min(n + 1, text.size());
  }
  if (text[0] == ']') {  // operating system command, to BEL or ESC backslash
    for (size_t n = 1; n < text.size(); ++n) {
      if (text[n] == '\a') return n + 1;
      if (text[n] == '\x1b') return std::min(n + 2, text.size());
    }
    return text.size();
  }
  if (absl::StrContains("()*+#%", text.substr(0, 1))) {
    return std::min<size_t>(2, text.size());
  }
  return 1;
}

constexpr absl::string_view kEscapeSpellings[] = {
    "^[", "\\x1b", "\\x1B", "\\033", "\\u001b", "\\u001B", "\\e", "\u241b"};

// The length of an escape sequence at the start of `text`, however written; 0
// when there is none.
size_t EscapeLength(absl::string_view text) {
  if (text[0] == '\x1b') return 1 + SequenceLength(text.substr(1));
  if (text[0] == '[') {  // the escape byte is lost: [0m, [01;31m, [K
    size_t n = 1;
    while (n < text.size() && (IsDigit(text[n]) || text[n] == ';')) ++n;
    if (n < text.size() && ((n > 1 && text[n] == 'm') ||
                            (n == 1 && (text[n] == 'K' || text[n] == 'm')))) {
      return n + 1;
    }
    return 0;
  }
  for (absl::string_view spelling : kEscapeSpellings) {
    if (absl::StartsWith(text, spelling) && text.size() > spelling.size() &&
        text[spelling.size()] == '[') {
      return spelling.size() + SequenceLength(text.substr(spelling.size()));
    }
  }
  return 0;
}

bool MayHoldEscapes(absl::string_view line) {
  if (line.find('\x1b') != line.npos) return true;
  for (size_t at = line.find('['); at != line.npos; at = line.find('[', at + 1)) {
    if (at + 2 >= line.size()) return false;
    const char next = line[at + 1];
    if (next == 'K' || next == 'm') return true;
    if (!IsDigit(next)) continue;
    const size_t end = line.find_first_not_of("0123456789;", at + 1);
    if (end != line.npos && line[end] == 'm') return true;
  }
  return false;
}

void RemoveEscapes(absl::string_view line, std::string* out) {
  size_t at = 0;
  while (at < line.size()) {
    const size_t length = EscapeLength(line.substr(at));
    if (length == 0) *out += line[at];
    at += std::max<size_t>(length, 1);
  }
}

// The length of the tag at the start of `text`; 0 without one.
size_t TagLength(absl::string_view text, bool* breaks_line) {
  if (absl::StartsWith(text, "<!--") || absl::StartsWith(text, "<!DOCTYPE") ||
      absl::StartsWith(text, "<!doctype")) {
    const size_t end = text.find('>');
    return end == text.npos ? 0 : end + 1;
  }
  absl::string_view rest = text.substr(1);
  const bool closing = absl::ConsumePrefix(&rest, "/");
  size_t n = 0;
  while (n < rest.size() &&
         absl::ascii_isalnum(static_cast<unsigned char>(rest[n]))) {
    ++n;
  }
  const std::string name = absl::AsciiStrToLower(rest.substr(0, n));
  if (std::find(std::begin(kTags), std::end(kTags), name) == std::end(kTags)) {
    return 0;
  }
  rest.remove_prefix(n);
  if (rest.empty() || !absl::StrContains(" >/\t", rest.substr(0, 1))) return 0;
  const size_t end = rest.find('>');
  if (end == rest.npos) return 0;
  *breaks_line = name == "br" || name == "tr" ||
                 (closing && (name == "p" || name == "div" || name == "li"));
  return rest.data() + end + 1 - text.data();
}

// Appends what the entity at the start of `text` means; returns its length.
size_t DecodeEntity(absl::string_view text, std::string* out) {
  const size_t end = text.substr(0, 12).find(';');
  if (end == text.npos) return 0;
  absl::string_view name = text.substr(1, end - 1);
  if (absl::ConsumePrefix(&name, "#")) {
    uint32_t code = 0;
    const bool hex =
        absl::ConsumePrefix(&name, "x") || absl::ConsumePrefix(&name, "X");
    if (hex ? !absl::SimpleHexAtoi(name, &code) : !absl::SimpleAtoi(name, &code))
      return 0;
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      return 0;
    }
    AppendUtf8(code, out);
    return end + 1;
  }
  for (const Entity& entity : kEntities) {
    if (entity.name == name) {
      out->append(entity.text.data(), entity.text.size());
      return end + 1;
    }
  }
  return 0;
}

void RemoveHtml(absl::string_view line, bool tags, std::string* out) {
  size_t at = 0;
  while (at < line.size()) {
    const absl::string_view rest = line.substr(at);
    size_t length = 0;
    if (rest[0] == '&') {
      length = DecodeEntity(rest, out);
    } else if (rest[0] == '<' && tags) {
      bool breaks_line = false;
      length = TagLength(rest, &breaks_line);
      if (breaks_line) *out += '\n';
    }
    if (length == 0) *out += rest[0];
    at += std::max<size_t>(length, 1);
  }
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

bool HasForeignByte(absl::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return (c & 0x80) != 0 || IsControl(c);
  });
}

// Returns whether anything changed.
bool FoldUnicode(absl::string_view line, std::string* out) {
  bool changed = false;
  bool in_string = false;
  for (size_t at = 0; at < line.size();) {
    const char c = line[at];
    if ((c & 0x80) == 0) {
      if (c == '"') in_string = !in_string;
      const bool control = !in_string && IsControl(c);
      changed |= control;
      *out += control ? ' ' : c;
      if (in_string && c == '\\' && at + 1 < line.size() &&
          (line[at + 1] & 0x80) == 0) {
        *out += line[++at];
      }
      ++at;
      continue;
    }
    const int length = Utf8SequenceLength(line.substr(at));
    const absl::string_view character =
        line.substr(at, std::max(length, 1));
    at += character.size();
    absl::string_view ascii;
    bool found = false;
    if (!in_string && length > 1) {
      const Twin* twin = FindTwin(character);
      found = twin != nullptr;
      if (found) ascii = twin->ascii;
    } else if (!in_string && length == 0) {
      ascii = TwinOfByte(character[0]);
      found = !ascii.empty();
    }
    changed |= found;
    if (!found) ascii = character;
    out->append(ascii.data(), ascii.size());
  }
  return changed;
}

constexpr absl::string_view kEncodedSigns[] = {
    "-&gt;", "-&#62;", "-&#x3e;", "-&#x3E;", "=&quot;", "=&#34;", "=&#x22;",
    "&lt;=", "&amp;gt;", "&amp;quot;"};

constexpr absl::string_view kTagSigns[] = {"<pre", "<code", "<br>", "<br/>",
                                           "<br />", "<span ", "<span>",
                                           "</p>", "</div>", "<!DOCTYPE",
                                           "<!doctype", "<html"};

bool ContainsAnyOf(absl::string_view text,
                   absl::Span<const absl::string_view> signs) {
  return std::any_of(signs.begin(), signs.end(), [&](absl::string_view sign) {
    return absl::StrContains(text, sign);
  });
}

constexpr absl::string_view kRightBorders[] = {
    "\u2502", "\u2503", "\u2551", "\u2506", "\u250a", "\u00a6", "|",
    "$",      "\u00b6", "\u21b5", "\u23ce", "^M"};

}  // namespace

absl::string_view WithoutRightBorder(absl::string_view line) {
  for (bool again = true; again;) {
    again = false;
    const absl::string_view text = absl::StripTrailingAsciiWhitespace(line);
    for (absl::string_view border : kRightBorders) {
      if (!absl::EndsWith(text, border)) continue;
      line = absl::StripTrailingAsciiWhitespace(
          absl::StripSuffix(text, border));
      again = true;
      break;
    }
  }
  return line;
}

int HtmlLevels(absl::string_view file) {
  const bool encoded = ContainsAnyOf(file, kEncodedSigns);
  if (!encoded && !ContainsAnyOf(file, kTagSigns)) return 0;
  const int levels = absl::StrContains(file, "&amp;gt;") ||
                             absl::StrContains(file, "&amp;quot;")
                         ? 2
                         : 1;
  // Plain text has its arrows and quotes where modules and computations begin.
  size_t at = 0;
  for (int looks = 0; looks < 64; ++looks) {
    at = std::min(file.find("HloModule ", at), file.find("ENTRY ", at));
    if (at == file.npos) break;
    const absl::string_view line =
        file.substr(at, std::min<size_t>(file.find('\n', at) - at, 1 << 16));
    if (absl::StrContains(line, "->") || absl::StrContains(line, "=\"")) {
      return 0;
    }
    if (ContainsAnyOf(line, kEncodedSigns)) return levels;
    at += line.size();
  }
  return levels;
}

absl::string_view WithoutMarkup(absl::string_view line, int html_levels,
                                std::string* buffer, MarkupCounts* counts) {
  std::string next;
  const auto take = [&] {
    buffer->swap(next);
    next.clear();
    line = *buffer;
  };
  if (MayHoldEscapes(line)) {
    RemoveEscapes(line, &next);
    if (next.size() != line.size()) {
      take();
      ++counts->escapes;
    }
    next.clear();
  }
  for (int round = 0; round < html_levels; ++round) {
    if (line.find_first_of("&<") == line.npos) break;
    RemoveHtml(line, /*tags=*/round == 0, &next);
    const bool changed = next != line;
    if (!changed) break;
    take();
    if (round == 0) ++counts->html;
  }
  next.clear();
  if (HasForeignByte(line)) {
    if (FoldUnicode(line, &next)) {
      take();
      ++counts->unicode;
    }
  }
  return line;
}

}  // namespace hlokit
