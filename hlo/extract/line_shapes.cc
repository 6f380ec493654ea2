#include "hlo/extract/line_shapes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace hlokit {
namespace {

constexpr absl::string_view kModuleWord = "HloModule";
constexpr absl::string_view kEntryWord = "ENTRY";
// Looking for a beginning in the middle of a line is given up after this many
// tries, so that long lines of other things cost little.
constexpr int kMaxTries = 64;

bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '-';
}

bool IsNameStart(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
}

absl::string_view TakeName(absl::string_view* text) {
  size_t n = 0;
  if (!text->empty() && IsNameStart((*text)[0])) {
    while (n < text->size() && IsNameByte((*text)[n])) ++n;
  }
  const absl::string_view name = text->substr(0, n);
  text->remove_prefix(n);
  return name;
}

void SkipBlanks(absl::string_view* text) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
}

// "foo=" behind a comma.
bool StartsAttribute(absl::string_view text) {
  SkipBlanks(&text);
  return !TakeName(&text).empty() && absl::StartsWith(text, "=");
}

// Words that other languages have where HLO has the name of a computation.
constexpr absl::string_view kForeignBlocks[] = {
    "module", "struct", "union",   "enum", "graph", "digraph", "IR",
    "else",   "do",     "try",     "main", "loop",  "return",  "finally",
    "config", "class",  "private", "public"};

bool IsForeignBlock(absl::string_view name) {
  return std::find(std::begin(kForeignBlocks), std::end(kForeignBlocks),
                   name) != std::end(kForeignBlocks);
}

// "a: f32[8]", "(f32[], s32[])", "a: (f32[])", as signatures begin.
bool StartsSignature(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "(")) return false;
  SkipBlanks(&text);
  if (absl::StartsWith(text, ")")) {
    return absl::StrContains(text, "->");
  }
  absl::ConsumePrefix(&text, "%");
  return !TakeName(&text).empty() && absl::StartsWith(text, ":") &&
         absl::StrContains(text, "[");
}

bool EndsWithBrace(absl::string_view text) {
  return absl::EndsWith(absl::StripTrailingAsciiWhitespace(text), "{");
}

constexpr absl::string_view kTypePrefixes[] = {
    "pred[", "token[", "opaque[", "bf16[", "c64[", "c128[", "b("};

// The length of "f32[2,3]{1,0}", "(f32[], s32[])" or 0; SIZE_MAX when it goes
// on behind the end.
size_t TypeLength(absl::string_view text) {
  const auto starts_array = [](absl::string_view t) {
    for (absl::string_view prefix : kTypePrefixes) {
      if (absl::StartsWith(t, prefix)) return true;
    }
    if (t.size() < 3 || !absl::StrContains("fsu", t.substr(0, 1)) ||
        !absl::ascii_isdigit(static_cast<unsigned char>(t[1]))) {
      return false;
    }
    size_t n = 1;
    while (n < t.size() && absl::ascii_isalnum(static_cast<unsigned char>(t[n])))
      ++n;
    return n < t.size() && t[n] == '[';
  };
  if (absl::StartsWith(text, "(")) {
    absl::string_view inner = text.substr(1);
    SkipBlanks(&inner);
    if (!starts_array(inner) && !absl::StartsWith(inner, "(") &&
        !absl::StartsWith(inner, ")") && !absl::StartsWith(inner, "/*")) {
      return 0;
    }
  } else if (!starts_array(text)) {
    return 0;
  }
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && (c == ' ' || c == '\t')) return i;
    if (depth < 0) return 0;
  }
  return kNoPlace;
}

// One past the bracket that closes the one at `at`; kNoPlace when none does.
size_t CloseOf(absl::string_view text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i + 1;
  }
  return kNoPlace;
}

// One past the value of an attribute that begins at `at`.
size_t EndOfValue(absl::string_view text, size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      if (at >= text.size()) return kNoPlace;
      ++at;
    } else if (c == '{' || c == '[' || c == '(') {
      at = CloseOf(text, at);
      if (at == kNoPlace) return kNoPlace;
    } else if (IsNameByte(c) || c == '%' || c == '>' || c == '<' || c == '=' ||
               c == '?' || c == '#') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// One past the attributes that follow the operands at `at`.
size_t EndOfAttributes(absl::string_view text, size_t at) {
  for (;;) {
    absl::string_view rest = text.substr(at);
    SkipBlanks(&rest);
    if (!absl::ConsumePrefix(&rest, ",")) return at;
    SkipBlanks(&rest);
    if (rest.empty()) return text.size();  // a list that was cut
    absl::string_view value = rest;
    if (TakeName(&value).empty() || !absl::ConsumePrefix(&value, "=")) {
      return at;
    }
    at = EndOfValue(text, value.data() - text.data());
    if (at == kNoPlace) return kNoPlace;
    // A full stop that ends a sentence.
    while (at > 0 && text[at - 1] == '.') --at;
  }
}

// What follows "NAME = ".
bool ReadValue(absl::string_view line, size_t at, InstructionPlace* place) {
  absl::string_view rest = line.substr(at);
  SkipBlanks(&rest);
  place->value = line.size() - rest.size();
  const size_t type = TypeLength(rest);
  if (type == kNoPlace) {
    // A type that goes on in the next line.
    place->type = place->value;
    place->is_open = true;
    place->end = line.size();
    return true;
  }
  if (type > 0) {
    place->type = place->value;
    rest.remove_prefix(type);
    SkipBlanks(&rest);
  }
  const absl::string_view opcode = TakeName(&rest);
  if (opcode.empty() || !absl::StartsWith(rest, "(") ||
      !absl::ascii_islower(static_cast<unsigned char>(opcode[0]))) {
    return false;
  }
  // Assignments of other languages have no type, and rarely a "%".
  if (type == 0 && line[place->begin] != '%' &&
      !absl::StrContains(line.substr(place->begin, at - place->begin), ".") &&
      !absl::StrContains(opcode, "-")) {
    return false;
  }
  size_t end = CloseOf(line, line.size() - rest.size());
  if (end != kNoPlace) end = EndOfAttributes(line, end);
  place->is_open = end == kNoPlace;
  place->end = std::min(end, line.size());
  return true;
}

}  // namespace

size_t FindModuleHeader(absl::string_view line) {
  size_t from = 0;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const size_t at = line.find(kModuleWord, from);
    if (at == kNoPlace) return kNoPlace;
    from = at + kModuleWord.size();
    if (at > 0 && IsNameByte(line[at - 1]) &&
        !absl::ascii_isdigit(static_cast<unsigned char>(line[at - 1])) &&
        line[at - 1] != '-') {
      continue;
    }
    absl::string_view rest = line.substr(from);
    if (rest.empty() || !absl::ascii_isspace(rest[0])) continue;
    SkipBlanks(&rest);
    absl::ConsumePrefix(&rest, "%");
    size_t name = 0;
    while (name < rest.size() && rest[name] != ',' &&
           !absl::ascii_isspace(static_cast<unsigned char>(rest[name]))) {
      ++name;
    }
    if (name == 0) continue;
    rest.remove_prefix(name);
    SkipBlanks(&rest);
    if (rest.empty() || absl::StartsWith(rest, "//") ||
        (absl::ConsumePrefix(&rest, ",") &&
         (StartsAttribute(rest) || IsBlankOrComment(rest) ||
          absl::StripLeadingAsciiWhitespace(rest).find_first_not_of(
              "abcdefghijklmnopqrstuvwxyz_ \r") == kNoPlace))) {
      return at;
    }
  }
  return kNoPlace;
}

absl::string_view NameInModuleHeader(absl::string_view line) {
  line.remove_prefix(std::min(kModuleWord.size(), line.size()));
  SkipBlanks(&line);
  return line.substr(0, line.find_first_of(", \t\r\n"));
}

bool IsComputationStart(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  absl::string_view rest = line;
  bool entry = false;
  if (absl::ConsumePrefix(&rest, kEntryWord) && !rest.empty() &&
      absl::ascii_isspace(static_cast<unsigned char>(rest[0]))) {
    entry = true;
    SkipBlanks(&rest);
  } else {
    rest = line;
  }
  const bool percent = absl::ConsumePrefix(&rest, "%");
  const absl::string_view name = TakeName(&rest);
  if (name.empty()) return false;
  if (!entry && !percent && IsForeignBlock(name)) return false;
  const bool glued = !rest.empty() && rest[0] == '(';
  SkipBlanks(&rest);
  if (rest.empty()) return entry;
  if (absl::StartsWith(rest, "{")) {
    return rest == "{" || entry || absl::StrContains(rest, " = ");
  }
  if (glued && !entry && !percent) return false;
  return StartsSignature(rest);
}

size_t FindComputationStart(absl::string_view line) {
  if (!EndsWithBrace(line)) return kNoPlace;
  const size_t entry = line.find("ENTRY ");
  if (entry != kNoPlace && IsComputationStart(line.substr(entry))) return entry;
  int tries = 0;
  for (size_t at = 0; at < line.size() && tries < kMaxTries; ++at) {
    if (at > 0 && (IsNameByte(line[at - 1]) || line[at - 1] == '%')) continue;
    if (line[at] != '%' && !IsNameStart(line[at])) continue;
    ++tries;
    if (IsComputationStart(line.substr(at))) return at;
  }
  return kNoPlace;
}

InstructionPlace FindInstruction(absl::string_view line, size_t from) {
  constexpr absl::string_view kEquals = " = ";
  InstructionPlace place;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const size_t equals = line.find(kEquals, from);
    if (equals == kNoPlace) break;
    from = equals + 1;
    size_t begin = equals;
    while (begin > 0 && IsNameByte(line[begin - 1])) --begin;
    while (begin < equals && !IsNameStart(line[begin])) ++begin;
    if (begin == equals) continue;
    if (begin > 0 && line[begin - 1] == '%') --begin;
    place = InstructionPlace();
    place.begin = begin;
    if (ReadValue(line, equals + kEquals.size(), &place)) {
      constexpr absl::string_view kRoot = "ROOT ";
      if (absl::EndsWith(line.substr(0, begin), kRoot)) {
        place.begin -= kRoot.size();
      }
      return place;
    }
  }
  place.begin = kNoPlace;
  return place;
}

bool IsFrameTableLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  for (absl::string_view title :
       {"FileNames", "FunctionNames", "FileLocations", "StackFrames"}) {
    if (line == title) return true;
  }
  size_t digits = 0;
  while (digits < line.size() &&
         absl::ascii_isdigit(static_cast<unsigned char>(line[digits]))) {
    ++digits;
  }
  if (digits == 0) return false;
  line.remove_prefix(digits);
  SkipBlanks(&line);
  return (absl::StartsWith(line, "\"") && absl::EndsWith(line, "\"")) ||
         absl::StartsWith(line, "{file_") || absl::StartsWith(line, "{parent");
}

bool IsBlankOrComment(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return line.empty() || absl::StartsWith(line, "//");
}

bool LooksLikeHlo(absl::string_view line) {
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  if (text.empty()) return false;
  if (text[0] == '}' || absl::StartsWith(text, "//")) return true;
  if (IsComputationStart(text) || IsFrameTableLine(text)) return true;
  if (absl::StartsWith(text, "ROOT ")) return true;
  const InstructionPlace place = FindInstruction(text);
  return place.begin == 0;
}

bool LooksLikeLogLine(absl::string_view line) {
  const auto matches = [](absl::string_view text, absl::string_view pattern) {
    if (text.size() < pattern.size()) return false;
    for (size_t i = 0; i < pattern.size(); ++i) {
      const char c = text[i];
      switch (pattern[i]) {
        case 'd':
          if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
          break;
        case 'L':
          if (!absl::StrContains("IWEF", absl::string_view(&c, 1))) return false;
          break;
        case 'T':
          if (c != ' ' && c != 'T') return false;
          break;
        default:
          if (c != pattern[i]) return false;
      }
    }
    return true;
  };
  absl::ConsumePrefix(&line, "[");
  return matches(line, "Ldddd dd:dd:dd") ||
         matches(line, "dddd-dd-ddTdd:dd:dd") || matches(line, "dd:dd:dd") ||
         matches(line, "dddd/dd/ddTdd:dd:dd");
}

bool IsMarkdownFence(absl::string_view line) {
  while (!line.empty() &&
         (absl::ascii_isspace(static_cast<unsigned char>(line[0])) ||
          line[0] == '>')) {
    line.remove_prefix(1);
  }
  if (!absl::StartsWith(line, "```") && !absl::StartsWith(line, "~~~")) {
    return false;
  }
  line.remove_prefix(3);
  return !absl::StrContains(line, "`");
}

void BracketCounter::Add(absl::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_comment_) {
      if (c == '*' && i + 1 < line.size() && line[i + 1] == '/') {
        in_comment_ = false;
        ++i;
      }
      continue;
    }
    switch (c) {
      case '"':
        for (++i; i < line.size() && line[i] != '"'; ++i) {
          if (line[i] == '\\') ++i;
        }
        break;
      case '/':
        if (i + 1 >= line.size()) break;
        if (line[i + 1] == '/') return;
        if (line[i + 1] == '*') {
          in_comment_ = true;
          ++i;
        }
        break;
      case '{':
        ++braces_;
        opened_ = true;
        break;
      case '}': --braces_; break;
      case '(':
      case '[': ++others_; break;
      case ')':
      case ']': --others_; break;
      default: break;
    }
  }
}

}  // namespace hlokit
