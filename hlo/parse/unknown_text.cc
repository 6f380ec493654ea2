// Finding the ends of what is not understood, and the warnings about it.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "hlo/ir/unknown.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

// More kinds than this are summed up.
constexpr size_t kMaxWarnings = 50;

// The offset behind the string that begins at `begin`, or npos if it does not
// end.
size_t StringEnd(absl::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[begin]) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

// Whether the '{' at `i` opens the body of a computation.
bool OpensBody(absl::string_view text, size_t i) {
  if (i == 0 || !IsBlank(text[i - 1])) return false;
  ++i;
  while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
  return i == text.size() || text[i] == '\n' || text[i] == '\r';
}

}  // namespace

void TextParser::NoteUnknown(std::string what, size_t offset) {
  UnknownNote& note = unknown_notes_[std::move(what)];
  if (note.count++ == 0) note.offset = offset;
}

void TextParser::WarnOfUnknowns() {
  std::vector<std::pair<size_t, std::string>> notes;
  for (const auto& [what, note] : unknown_notes_) {
    const std::string often =
        note.count > 1 ? absl::StrCat(" (", note.count, " times)") : "";
    notes.emplace_back(note.offset, absl::StrCat("unknown ", what,
                                                 " is kept as it is", often));
  }
  unknown_notes_.clear();
  std::sort(notes.begin(), notes.end());
  for (size_t i = 0; i < std::min(notes.size(), kMaxWarnings); ++i) {
    diagnostics_->Warning(notes[i].second, notes[i].first);
  }
  if (notes.size() > kMaxWarnings) {
    diagnostics_->Warning(
        absl::StrCat(notes.size() - kMaxWarnings,
                     " more unknown names are kept as they are"),
        notes[kMaxWarnings].first);
  }
}

bool TextParser::UnknownWord(absl::string_view word, std::string message,
                             bool has_meaning) {
  if (!keeps_value_ || !KeepsAttributes()) return ErrorHere(std::move(message));
  if (has_meaning && !KeepsMeaning()) {
    return ErrorHere(absl::StrCat(message, "; --lenient keeps it"));
  }
  unknown_word_ = std::string(word);
  return false;
}

size_t TextParser::ValueEnd(size_t begin, bool header) const {
  const absl::string_view text = lexer_.text();
  int64_t depth = 0;
  size_t i = begin;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const size_t end = StringEnd(text, i);
      if (end != absl::string_view::npos) {
        i = end;
        continue;
      }
    } else if (c == '/' && i + 1 < text.size() &&
               (text[i + 1] == '*' || text[i + 1] == '/')) {
      if (depth == 0 && text[i + 1] == '/') break;
      i = std::max(lexer_.SkipBlanks(i), i + 1);
      continue;
    } else if (c == '{' || c == '(' || c == '[') {
      if (header && depth == 0 && c == '{' && OpensBody(text, i)) break;
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (depth-- == 0) break;
    } else if (depth == 0 && (c == ',' || c == '\n' || c == '\r')) {
      break;
    }
    ++i;
  }
  if (depth > 0) return begin;
  while (i > begin && absl::ascii_isspace(text[i - 1])) --i;
  return i;
}

// At an attribute of metadata={...}: keeps it with its value.
bool TextParser::KeepMetadataItem(std::string* kept) {
  const size_t begin = token().begin;
  const std::string name(token().text);
  lexer_.Next();
  // Items are separated by blanks.
  size_t end = token().end;
  if (Is(Tok::kLBrace) || Is(Tok::kLSquare) || Is(Tok::kLParen)) {
    end = ValueEnd(token().begin);
  } else if (Is(Tok::kEof) || Is(Tok::kError) || Is(Tok::kRBrace)) {
    return Unexpected(absl::StrCat("the value of ", name));
  }
  if (end <= token().begin) return ErrorHere("this value does not end");
  absl::StrAppend(kept, kept->empty() ? "" : " ",
                  lexer_.text().substr(begin, end - begin));
  NoteUnknown(absl::StrCat("item '", name, "' of metadata"), begin);
  lexer_.Reset(end);
  return true;
}

bool TextParser::ParseUnknownType(PrimitiveType* type) {
  const std::optional<PrimitiveType> kept = UnknownTypeNamed(token().text);
  if (!kept) return ErrorHere("too many unknown element types");
  NoteUnknown(absl::StrCat("element type '", token().text, "'"),
              token().begin);
  *type = *kept;
  return true;
}

// Words of a layout, "Q(3)", that stand behind those that begin with `after`.
bool TextParser::KeepLayoutWords(absl::string_view after, Layout* layout) {
  static constexpr absl::string_view kKnown[] = {"D", "T",  "L", "E",
                                                  "S", "SC", "P", "M"};
  while (KeepsAttributes() && Is(Tok::kIdent) &&
         std::find(std::begin(kKnown), std::end(kKnown), token().text) ==
             std::end(kKnown)) {
    const size_t begin = token().begin;
    const std::string name(token().text);
    size_t end = token().end;
    while (lexer_.ByteAt(end) == '(') {
      int64_t depth = 0;
      do {
        depth += lexer_.ByteAt(end) == '(';
        depth -= lexer_.ByteAt(end) == ')';
        if (++end >= lexer_.size()) return ErrorHere("this layout does not end");
      } while (depth > 0);
    }
    layout->unknown_words.push_back(
        {std::string(after),
         std::string(lexer_.text().substr(begin, end - begin))});
    NoteUnknown(absl::StrCat("layout word '", name, "'"), begin);
    lexer_.Reset(end);
  }
  return true;
}

}  // namespace hlokit::parse
