// Types and layouts.
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

constexpr size_t kLongestRememberedType = 1 << 16;

}  // namespace

bool TextParser::AtType() const {
  if (Is(Tok::kLParen)) return true;
  if (!Is(Tok::kIdent)) return false;
  const char after = lexer_.after();
  if (after == '[') return true;
  if (after == '(') return token().text == "b";
  return tables_.FindType(token().text) != kInvalid;
}

// Where the type that begins at the current token ends, if its form is the usual
// one (else 0): blanks only in tuples, comments only "/*...*/" there.
size_t TextParser::SimpleTypeEnd() const {
  const absl::string_view text = lexer_.text();
  if (Is(Tok::kIdent)) {
    size_t i = token().end;
    if (lexer_.ByteAt(i) != '[') return 0;
    while (i < text.size() && text[i] != ']') ++i;
    if (++i >= text.size()) return 0;
    if (text[i] == '{') {
      const char next = lexer_.ByteAt(i + 1);
      if (!IsDigit(next) && next != ':') return 0;
      while (i < text.size() && text[i] != '}') ++i;
      return i < text.size() ? i + 1 : 0;
    }
    // A layout might still come behind blanks or comments.
    if (text[i] == '/') return 0;
    if (!IsBlank(text[i])) return i;
    const char next = lexer_.ByteAt(i + 1);
    return next == '{' || next == '/' || IsBlank(next) ? 0 : i;
  }
  int64_t depth = 0;
  for (size_t i = token().begin; i < text.size(); ++i) {
    if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      if (--depth == 0) return i + 1;
    } else if (text[i] == '/') {
      if (lexer_.ByteAt(i + 1) != '*') return 0;
      i = text.find("*/", i + 2);
      if (i == absl::string_view::npos) return 0;
      ++i;
    }
  }
  return 0;
}

bool TextParser::ParseType(Shape* shape) {
  const size_t begin = token().begin;
  const size_t end = SimpleTypeEnd();
  if (end == 0 || end - begin > kLongestRememberedType) {
    return ParseTypeTokens(shape);
  }
  const absl::string_view key = lexer_.text().substr(begin, end - begin);
  auto it = types_.find(key);
  if (it != types_.end()) {
    *shape = it->second;
    lexer_.Reset(end);
    return true;
  }
  if (!ParseTypeTokens(shape)) return false;
  *shape = shape->Interned();
  if (lexer_.SkipBlanks(end) == token().begin || Is(Tok::kEof)) {
    types_.emplace(key, *shape);
  }
  return true;
}

bool TextParser::ParseTypeTokens(Shape* shape) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  if (Is(Tok::kLParen)) return ParseTupleType(shape);
  if (Is(Tok::kIdent) && token().text == "b" && lexer_.after() == '(') {
    return ParseBufferType(shape);
  }
  return ParseArrayType(shape);
}

bool TextParser::ParseTupleType(Shape* shape) {
  std::vector<Shape> elements;
  if (!ParseParens([&] {
        return ParseTypeTokens(&elements.emplace_back());
      })) {
    return false;
  }
  *shape = Shape::Tuple(std::move(elements));
  return true;
}

bool TextParser::ParseBufferType(Shape* shape) {
  lexer_.Next();
  if (!Expect(Tok::kLParen, "'('")) return false;
  const size_t offset = token().begin;
  Shape array;
  if (!ParseTypeTokens(&array)) return false;
  if (!array.IsArray()) {
    return Error(offset, absl::StrCat("a buffer holds an array, not ",
                                      array.ToString()));
  }
  *shape = Shape::Buffer(std::move(array));
  return Expect(Tok::kRParen, "')'");
}

bool TextParser::ParseDimension(DimensionVector* sizes,
                                absl::InlinedVector<bool, 8>* dynamic) {
  if (Eat(Tok::kQuestion)) {
    sizes->push_back(kUnboundedSize);
    dynamic->push_back(true);
    return true;
  }
  dynamic->push_back(Eat(Tok::kLessEq));
  int64_t size;
  if (!Is(Tok::kInt)) return Unexpected("a dimension size");
  if (!ParseNonNegative(&size, "a dimension size")) return false;
  sizes->push_back(size);
  return true;
}

bool TextParser::ParseArrayType(Shape* shape) {
  if (!Is(Tok::kIdent)) return Unexpected("a type");
  const size_t begin = token().begin;
  PrimitiveType type = tables_.FindType(token().text);
  if (type == kInvalid) {
    const bool as_type = lexer_.after() == '[';
    if (!as_type) return Unexpected("a type");
    if (!KeepsMeaning()) {
      return ErrorHere(
          absl::StrCat("no element type is called '", token().text, "'",
                       DidYouMean(token().text, tables_.type_names()),
                       KeepsAttributes() ? "; --lenient keeps unknown types"
                                         : ""));
    }
    if (!ParseUnknownType(&type)) return false;
  }
  lexer_.Next();
  if (!Is(Tok::kLSquare)) {
    return Unexpected(absl::StrCat("'[' (also without dimensions: ",
                                   PrimitiveTypeName(type), "[])"));
  }
  DimensionVector sizes;
  absl::InlinedVector<bool, 8> dynamic;
  if (!ParseSquares([&] { return ParseDimension(&sizes, &dynamic); })) {
    return false;
  }
  if (type == kToken || type == kOpaque) {
    if (!sizes.empty()) {
      return Error(begin, absl::StrCat(PrimitiveTypeName(type),
                                       " has no dimensions"));
    }
    *shape = type == kToken ? Shape::Token() : Shape::Opaque();
    return true;
  }
  *shape = Shape::ArrayWithDescendingLayout(type, sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (dynamic[i]) shape->set_dynamic_dimension(i, true);
  }
  // A '{' before anything else opens a computation's body.
  if (Is(Tok::kLBrace)) {
    const size_t offset = token().begin;
    const char next = lexer_.ByteAt(lexer_.SkipBlanks(token().end));
    if (IsDigit(next) || next == ':' || next == '-') {
      Layout layout;
      if (!ParseLayout(&layout)) return false;
      if (layout.minor_to_major.size() != sizes.size()) {
        return Error(offset, absl::StrCat("the layout has ",
                                          layout.minor_to_major.size(),
                                          " dimensions, the array has ",
                                          sizes.size()));
      }
      shape->set_layout(std::move(layout));
    }
  }
  if (absl::Status status = ValidateShape(*shape); !status.ok()) {
    return Error(begin, std::string(status.message()));
  }
  return true;
}

bool TextParser::ParseLayout(Layout* layout) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  while (Is(Tok::kInt)) {
    int64_t dimension;
    const size_t offset = token().begin;
    if (!ParseNonNegative(&dimension, "a dimension number")) return false;
    for (int64_t other : layout->minor_to_major) {
      // Long lists are checked with the whole type.
      if (layout->minor_to_major.size() > 64) break;
      if (other == dimension) {
        return Error(offset, absl::StrCat("dimension ", dimension,
                                          " stands twice in the layout"));
      }
    }
    layout->minor_to_major.push_back(dimension);
    if (!Is(Tok::kComma)) break;
    lexer_.Next();
    if (!Is(Tok::kInt)) return Unexpected("a dimension number");
  }
  if (Eat(Tok::kColon) && !ParseLayoutBody(layout)) return false;
  return Expect(Tok::kRBrace, "'}' at the end of the layout");
}

// What follows the colon, in this order only.
bool TextParser::ParseLayoutBody(Layout* layout) {
  if (!SkipDimensionLevelTypes()) return false;
  if (!KeepLayoutWords("", layout) || !ParseTiles(layout) || !KeepLayoutWords("T", layout) ||
      !ParseLayoutWord("L", &layout->tail_padding_alignment_in_elements) ||
      !KeepLayoutWords("L", layout) ||
      !ParseLayoutType(Tok::kHash, &layout->index_primitive_type) ||
      !KeepLayoutWords("#", layout) ||
      !ParseLayoutType(Tok::kStar, &layout->pointer_primitive_type) ||
      !KeepLayoutWords("*", layout) ||
      !ParseLayoutWord("E", &layout->element_size_in_bits) ||
      !KeepLayoutWords("E", layout) ||
      !ParseLayoutWord("S", &layout->memory_space) ||
      !KeepLayoutWords("S", layout) || !ParseSplitConfigs(layout) ||
      !KeepLayoutWords("SC", layout)) {
    return false;
  }
  if (IsWord("P")) {
    return ErrorHere("physical shapes (P) cannot be written in text");
  }
  if (!ParseLayoutWord("M", &layout->dynamic_shape_metadata_prefix_bytes) ||
      !KeepLayoutWords("M", layout)) {
    return false;
  }
  if (Is(Tok::kRBrace)) return true;
  return Unexpected("T, L, #, *, E, S, SC or M in this order, or '}'");
}

bool TextParser::SkipDimensionLevelTypes() {
  if (!EatWord("D")) return true;
  return ParseParens([&] {
    for (absl::string_view word : {"D", "C", "S", "H"}) {
      if (!EatWord(word)) continue;
      Eat(Tok::kPlus);
      Eat(Tok::kTilde);
      return true;
    }
    return Unexpected("D, C, S or H");
  });
}

bool TextParser::ParseTiles(Layout* layout) {
  if (!EatWord("T")) return true;
  do {
    Tile tile;
    if (!ParseParens([&] {
          int64_t size = Tile::kCombine;
          if (!Eat(Tok::kStar) && !ParseNonNegative(&size, "a tile size")) {
            return false;
          }
          tile.dimensions.push_back(size);
          return true;
        })) {
      return false;
    }
    layout->tiles.push_back(std::move(tile));
  } while (Is(Tok::kLParen));
  return true;
}

bool TextParser::ParseLayoutWord(absl::string_view word, int64_t* value) {
  if (!EatWord(word)) return true;
  return Expect(Tok::kLParen, "'('") && ParseNonNegative(value, word) &&
         Expect(Tok::kRParen, "')'");
}

bool TextParser::ParseLayoutType(Tok mark, PrimitiveType* type) {
  if (!Eat(mark)) return true;
  if (!Expect(Tok::kLParen, "'('")) return false;
  *type = Is(Tok::kIdent) ? tables_.FindType(token().text) : kInvalid;
  if (!IsUnsignedIntType(*type)) return Unexpected("an unsigned integer type");
  lexer_.Next();
  return Expect(Tok::kRParen, "')'");
}

bool TextParser::ParseSplitConfigs(Layout* layout) {
  if (!EatWord("SC")) return true;
  do {
    SplitConfig config;
    if (!Expect(Tok::kLParen, "'('") ||
        !ParseNonNegative(&config.dimension, "a dimension number") ||
        !Expect(Tok::kColon, "':'")) {
      return false;
    }
    do {
      int64_t index;
      if (!ParseNonNegative(&index, "a split index")) return false;
      config.split_indices.push_back(index);
    } while (Eat(Tok::kComma));
    if (!Expect(Tok::kRParen, "')'")) return false;
    layout->split_configs.push_back(std::move(config));
  } while (Is(Tok::kLParen));
  return true;
}

}  // namespace hlokit::parse
