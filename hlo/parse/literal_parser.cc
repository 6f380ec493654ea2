// Constants.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/parse/element_reader.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

// What the constants of one text may hold beyond what stands there: elided ones,
// and arrays given by one value.
constexpr int64_t kMaxFilledBytes = int64_t{1} << 28;

// Reads the elements of one array. Commas count for nothing; the braces and the
// number of elements in each must be right.
template <typename T>
class ArrayReader {
 public:
  using Consumed = std::function<void(absl::string_view)>;
  ArrayReader(const Shape& shape, Cursor* cursor, T* out,
              const Consumed& consumed)
      : consumed_(consumed),
        from_(cursor->p),
        tell_at_(NextTold(*cursor)),
        dimensions_(shape.dimensions()),
        rank_(shape.rank()),
        counts_(rank_, 0),
        cursor_(cursor),
        out_(out),
        limit_(out + ElementsIn(shape)) {}

  // `elided` is set and nothing more read at "...".
  bool Read(bool* elided) {
    if (rank_ == 0) return ReadElement(cursor_, out_);
    // A value without braces is the first element; the others are zero.
    if (IsBareValue()) return ReadElement(cursor_, out_);
    do {
      if (cursor_->p >= tell_at_) Tell();
      if (!cursor_->Skip(/*commas=*/depth_ > 0)) return false;
      if (cursor_->AtEnd()) return cursor_->Fail("this constant does not end");
      switch (cursor_->Peek()) {
        case '{':
          if (!Open()) return false;
          break;
        case '}':
          if (!Close()) return false;
          break;
        case '.':
          if (absl::string_view(cursor_->p, std::min<size_t>(
                                                3, cursor_->end - cursor_->p)) ==
              "...") {
            if (depth_ != 1) {
              return cursor_->Fail("'...' may only stand in the outer braces");
            }
            cursor_->p += 3;
            *elided = true;
            counts_[0] = dimensions_[0];
            break;
          }
          [[fallthrough]];
        default:
          if (!Element()) return false;
      }
    } while (depth_ > 0);
    return true;
  }

 private:
  const char* NextTold(const Cursor& cursor) const {
    constexpr ptrdiff_t kPiece = 16 << 20;
    return consumed_ && cursor.end - cursor.p > kPiece ? cursor.p + kPiece
                                                       : cursor.end;
  }
  void Tell() {
    if (!consumed_) return;
    consumed_(absl::string_view(from_, cursor_->p - from_));
    from_ = cursor_->p;
    tell_at_ = NextTold(*cursor_);
  }

  bool IsBareValue() const {
    const char c = cursor_->Peek();
    return c != '{' && c != '}' && c != '.' && out_ < limit_;
  }

  bool Open() {
    if (depth_ == rank_) {
      return cursor_->Fail(absl::StrCat("braces nested deeper than the ", rank_,
                                        " dimension", rank_ == 1 ? "" : "s"));
    }
    if (depth_ > 0 && !Count(depth_ - 1)) return false;
    counts_[depth_++] = 0;
    ++cursor_->p;
    return true;
  }

  bool Close() {
    if (depth_ == 0) return cursor_->Fail("expected '{', found '}'");
    const int64_t d = --depth_;
    if (counts_[d] != dimensions_[d]) {
      return cursor_->Fail(absl::StrCat(Where(d), " has ", counts_[d],
                                        " elements, the type wants ",
                                        dimensions_[d]));
    }
    ++cursor_->p;
    return true;
  }

  bool Element() {
    if (depth_ != rank_) {
      return cursor_->Fail(absl::StrCat("a value at depth ", depth_, ", the ",
                                        rank_, " dimensions want ", rank_,
                                        " braces around it"));
    }
    if (!Count(rank_ - 1)) return false;
    if (out_ == limit_) return cursor_->Fail("too many elements");
    return ReadElement(cursor_, out_++);
  }

  bool Count(int64_t dimension) {
    if (counts_[dimension]++ < dimensions_[dimension]) return true;
    return cursor_->Fail(absl::StrCat(Where(dimension), " has more than the ",
                                      dimensions_[dimension],
                                      " elements of the type"));
  }

  // Names the braces that hold elements of `dimension`.
  std::string Where(int64_t dimension) const {
    if (dimension == 0) return "the constant";
    std::vector<int64_t> index;
    for (int64_t i = 0; i < dimension; ++i) index.push_back(counts_[i] - 1);
    return absl::StrCat("row [", absl::StrJoin(index, ","), "]");
  }

  const Consumed& consumed_;
  const char* from_;     // not told of yet
  const char* tell_at_;
  const absl::Span<const int64_t> dimensions_;
  const int64_t rank_;
  DimensionVector counts_;
  int64_t depth_ = 0;
  Cursor* cursor_;
  T* out_;
  T* limit_;
};

// Makes stored bytes that no value has into values: pred 0 or 1, types under a
// byte sign- or zero-extended.
void Legalize(Literal* literal) {
  char* data = literal->mutable_untyped_data();
  const int bits = BitWidth(literal->element_type());
  for (int64_t i = 0; i < literal->size_bytes(); ++i) {
    if (literal->element_type() == kPred) {
      data[i] &= 1;
    } else if (bits < 8) {
      const uint8_t low = static_cast<uint8_t>(data[i] << (8 - bits));
      data[i] = IsSignedIntType(literal->element_type())
                    ? static_cast<char>(static_cast<int8_t>(low) >> (8 - bits))
                    : static_cast<char>(low >> (8 - bits));
    }
  }
}

// What XLA's reader keeps of a constant's layout: no element size; of scalars only
// layouts with tiles or a memory space.
void SimplifyLayout(Shape* shape) {
  if (!shape->has_layout() || shape->layout().IsPlain()) return;
  Layout layout = shape->layout();
  layout.element_size_in_bits = 0;
  if (shape->rank() == 0 && layout.tiles.empty() && layout.memory_space == 0) {
    layout = Layout();
  }
  shape->set_layout(std::move(layout));
}

}  // namespace

bool TextParser::ParseLiteral(const Shape& shape, Literal* literal) {
  if (shape.IsTuple()) return ParseTupleLiteral(shape, literal);
  if (shape.IsArray()) return ParseArrayLiteral(shape, literal);
  if (shape.IsToken() && EatWord("token")) {
    *literal = Literal::Token();
    return true;
  }
  return ErrorHere(absl::StrCat("there are no constants of type ",
                                shape.ToString(false)));
}

bool TextParser::ParseTupleLiteral(const Shape& shape, Literal* literal) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  std::vector<Literal> elements;
  const size_t offset = token().begin;
  if (AtElided()) return FillElidedTuple(shape, literal);
  if (!Expect(Tok::kLParen, "'('")) return false;
  while (!Eat(Tok::kRParen)) {
    if (Eat(Tok::kComma)) continue;
    const size_t i = elements.size();
    if (i == shape.tuple_shapes().size()) {
      return ErrorHere(absl::StrCat("more than the ", i,
                                    " elements of the tuple type"));
    }
    if (!ParseLiteral(shape.tuple_shape(i), &elements.emplace_back())) {
      return false;
    }
  }
  if (elements.size() != shape.tuple_shapes().size()) {
    return Error(offset, absl::StrCat("the tuple has ", elements.size(),
                                      " elements, its type ",
                                      shape.tuple_shapes().size()));
  }
  *literal = Literal::Tuple(std::move(elements));
  return true;
}

bool TextParser::ParseArrayLiteral(const Shape& shape, Literal* literal) {
  const size_t begin = token().begin;
  if (Is(Tok::kError) || Is(Tok::kEof)) return Unexpected("a constant");
  if (options_.keep_elided_constants && AtElided() && ElementsIn(shape) > 0) {
    elided_constant_ = true;
    return false;  // the caller keeps the text
  }
  if (absl::Status status = CheckLiteralSize(shape, options_.max_literal_bytes);
      !status.ok()) {
    return Error(begin, std::string(status.message()));
  }
  // What is read is static; a bound is the size.
  Shape static_shape = shape;
  static_shape.ClearDynamicDimensions();
  if (options_.xla_literal_quirks) SimplifyLayout(&static_shape);
  const absl::string_view text = lexer_.text();
  // Every element takes a byte and a separator, so a short text cannot ask for
  // much memory.
  const int64_t count = ElementsIn(shape);
  bool elided = false;
  if (shape.rank() == 0 && AtElided()) {
    SkipElided();
    return FillElided(static_shape, begin, literal);
  }
  const bool unbraced = !Is(Tok::kLBrace) && count > 1;
  if (unbraced && !CountFilled(static_shape, begin)) return false;
  if (!unbraced && count > static_cast<int64_t>(text.size() - begin)) {
    const size_t inside = lexer_.SkipBlanks(begin + 1);
    if (!Is(Tok::kLBrace) || text.substr(inside, 3) != "...") {
      return Error(begin, absl::StrCat("the text ends before the ", count,
                                       " elements of ",
                                       shape.ToString(false)));
    }
    lexer_.Reset(inside + 3);
    while (Eat(Tok::kComma)) continue;
    if (!Expect(Tok::kRBrace, "'}'")) return false;
    return FillElided(static_shape, begin, literal);
  }
  *literal = Literal::Zeros(static_shape);
  Cursor cursor{text.data() + begin, text.data() + text.size(), {},
                options_.xla_literal_quirks};
  const bool ok = DispatchArrayType(shape.element_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* data = literal->mutable_data<T>().data();
    return ArrayReader<T>(static_shape, &cursor, data, options_.consumed)
        .Read(&elided);
  });
  if (!ok) return Error(cursor.p - text.data(), std::move(cursor.error));
  if (unbraced) {
    diagnostics_->Warning(
        absl::StrCat("one value for ", shape.ToString(false),
                     ": the other elements become 0"),
        begin);
  }
  lexer_.Reset(cursor.p - text.data());
  return !elided || FillElided(static_shape, begin, literal);
}

bool TextParser::AtElided() const {
  if (!Is(Tok::kLBrace)) return false;
  const size_t inside = lexer_.SkipBlanks(token().end);
  return lexer_.text().substr(inside, 3) == "..." &&
         lexer_.ByteAt(lexer_.SkipBlanks(inside + 3)) == '}';
}

void TextParser::SkipElided() {
  lexer_.Next();  // now at the dots
  lexer_.Next();  // at '}'
  lexer_.Next();
}

// "{...}" for a whole tuple.
bool TextParser::FillElidedTuple(const Shape& shape, Literal* literal) {
  const size_t offset = token().begin;
  elided_constant_ = true;
  if (options_.keep_elided_constants) return false;  // the caller keeps it
  SkipElided();
  return FillElidedParts(shape, offset, literal);
}

bool TextParser::FillElidedParts(const Shape& shape, size_t offset,
                                 Literal* literal) {
  if (shape.IsArray()) {
    if (absl::Status status =
            CheckLiteralSize(shape, options_.max_literal_bytes);
        !status.ok()) {
      return Error(offset, std::string(status.message()));
    }
    return FillElided(shape, offset, literal);
  }
  if (shape.IsToken()) {
    *literal = Literal::Token();
    return true;
  }
  if (!shape.IsTuple()) {
    return Error(offset, absl::StrCat("there are no constants of type ",
                                      shape.ToString(false)));
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!FillElidedParts(element, offset, &elements.emplace_back())) {
      return false;
    }
  }
  *literal = Literal::Tuple(std::move(elements));
  return true;
}

bool TextParser::CountFilled(const Shape& shape, size_t offset) {
  filled_bytes_ += ElementsIn(shape) * StorageBytes(shape.element_type());
  if (filled_bytes_ <= kMaxFilledBytes) return true;
  return Error(offset,
               absl::StrCat("constants of more than ", kMaxFilledBytes >> 20,
                            " MiB in all were left out ({...}) or stand there "
                            "as one value; so much is not made up. Take the "
                            "proto of the same dump, or a text with its "
                            "constants"));
}

// Fills with numbers that go on from constant to constant, so that no two are
// equal; the very bytes that XLA makes, in the order of the layout.
bool TextParser::FillElided(const Shape& shape, size_t offset,
                            Literal* literal) {
  if (ElementsIn(shape) == 0) {  // nothing was left out
    *literal = Literal::Zeros(shape);
    return true;
  }
  elided_constant_ = true;
  if (options_.keep_elided_constants) return false;  // the caller keeps it
  if (!options_.fill_elided_constants) {
    return Error(offset, "the values of this constant were left out ({...})");
  }
  *literal = Literal();
  if (!CountFilled(shape, offset)) return false;
  const int64_t size = ElementsIn(shape) * StorageBytes(shape.element_type());
  *literal = Literal::Zeros(shape);
  std::string reordered;
  char* data = literal->mutable_untyped_data();
  char* target = data;
  const bool descending = !shape.has_layout() || shape.layout().IsDescending();
  if (!descending) {
    reordered.resize(size);
    target = reordered.data();
  }
  for (int64_t i = 0; i < size / 4; ++i) {
    const uint32_t word = elided_words_++;
    std::memcpy(target + 4 * i, &word, 4);
  }
  // The rest lands behind the quarter, not at the end.
  for (int64_t i = 0; i < size % 4; ++i) target[size / 4 + i] = elided_bytes_++;
  if (!descending) LayoutToRowMajor(shape, target, data);
  if (shape.element_type() == kPred || BitWidth(shape.element_type()) < 8) {
    Legalize(literal);
  }
  return true;
}

bool TextParser::ParseTypedLiteral(Literal* literal) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  if (!Is(Tok::kLParen)) {
    Shape shape;
    if (!ParseType(&shape)) return false;
    return ParseLiteral(shape, literal);
  }
  // "(type value, ...)", or the type of a tuple before its value: then the
  // whole type in parentheses comes first and another '(' behind it.
  std::vector<Literal> elements;
  if (!ParseParens([&] {
        return ParseTypedLiteral(&elements.emplace_back());
      })) {
    return false;
  }
  *literal = Literal::Tuple(std::move(elements));
  return true;
}

}  // namespace hlokit::parse
