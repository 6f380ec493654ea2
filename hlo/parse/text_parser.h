// Parses the pieces of HLO text that need no module: types, literals,
// shardings, windows, ... ModuleParser adds the rest.
//
// Every function works on the lexer's current token and leaves it behind what
// it read. They return false after reporting exactly one error; the place in
// the text is then undefined.
#ifndef HLOKIT_HLO_PARSE_TEXT_PARSER_H_
#define HLOKIT_HLO_PARSE_TEXT_PARSER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/diagnostics.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/replica_groups.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/ir/stack_frames.h"
#include "hlo/parse/lexer.h"
#include "hlo/parse/parser.h"
#include "hlo/parse/tables.h"

namespace hlokit::parse {

class TextParser {
 public:
  TextParser(absl::string_view text, Diagnostics* diagnostics,
             const ParseOptions& options);
  TextParser(const TextParser&) = delete;
  TextParser& operator=(const TextParser&) = delete;

  // shape_parser.cc. ParseType remembers what it read: the same bytes cost one
  // look-up the next time.
  bool ParseType(Shape* shape);
  bool ParseLayout(Layout* layout);
  // Whether the current token begins a type.
  bool AtType() const;

  // literal_parser.cc. A value of a known type; a value with its type before it.
  bool ParseLiteral(const Shape& shape, Literal* literal);
  bool ParseTypedLiteral(Literal* literal);

  // sharding_parser.cc
  bool ParseSharding(Sharding* sharding);
  bool ParseReplicaGroups(ReplicaGroups* groups);

  // structure_parser.cc
  bool ParseWindow(Window* window);
  bool ParseDimLabels(ConvolutionDims* dims);
  bool ParsePadding(PaddingConfig* padding);
  bool ParseSliceRanges(SliceRanges* ranges);
  bool ParseAliasing(AliasingList* aliasing);
  bool ParseDomain(DomainShardings* domain);
  bool ParseSparsityConfig(SparsityConfig* config);
  bool ParseResultAccuracy(ResultAccuracy* accuracy);
  bool ParseShapeIndex(ShapeIndex* index);
  bool ParseInt64List(Int64List* list);
  bool ParseBoolList(Int64List* list);
  bool ParseInt64ListList(Int64ListList* lists);
  bool ParsePairList(PairList* pairs);

  // metadata_parser.cc
  bool ParseMetadata(OpMetadata* metadata);
  // The same, sharing the result with earlier equal texts; its stack frame gets
  // its new number from frames_, where that is set.
  bool ParseSharedMetadata(std::shared_ptr<const OpMetadata>* metadata);
  bool ParseFrontendAttributes(FrontendAttributes* attributes);
  bool ParseStatistics(Statistics* statistics);
  bool ParseOriginalValue(OriginalValue* value);
  bool ParseOriginalArray(OriginalArray* array, bool* present);
  // A string, or a JSON dictionary kept as it stands.
  bool ParseConfig(std::string* config);

  // Nothing may follow.
  bool ExpectEnd();
  // At "{...}".
  bool AtElided() const;

  const Token& token() const { return lexer_.token(); }

 protected:
  // Counts nesting, and stops before the stack ends (base/stack.h).
  class Nesting {
   public:
    explicit Nesting(TextParser* parser) : parser_(parser) {
      ok_ = parser_->Enter();
    }
    ~Nesting() { --parser_->depth_; }
    bool ok() const { return ok_; }

   private:
    TextParser* parser_;
    bool ok_;
  };

  // Reports an error; always false.
  bool Error(size_t offset, std::string message);
  bool ErrorHere(std::string message) {
    return Error(token().begin, std::move(message));
  }
  // "expected WANTED, found ..." at the current token.
  bool Unexpected(absl::string_view wanted);
  bool Expect(Tok kind, absl::string_view wanted) {
    if (lexer_.kind() != kind) return Unexpected(wanted);
    lexer_.Next();
    return true;
  }
  bool Eat(Tok kind) {
    if (lexer_.kind() != kind) return false;
    lexer_.Next();
    return true;
  }
  bool Is(Tok kind) const { return lexer_.kind() == kind; }
  bool IsWord(absl::string_view word) const {
    return Is(Tok::kIdent) && token().text == word;
  }
  bool EatWord(absl::string_view word) {
    if (!IsWord(word)) return false;
    lexer_.Next();
    return true;
  }
  // NAME= with this name.
  bool IsAttr(absl::string_view name) const {
    return Is(Tok::kAttr) && token().text == name;
  }
  bool EatAttr(absl::string_view name) {
    if (!IsAttr(name)) return false;
    lexer_.Next();
    return true;
  }
  bool ExpectAttr(absl::string_view name);
  bool ParseInt64(int64_t* value);
  bool ParseNonNegative(int64_t* value, absl::string_view what);
  bool ParseInt32(int32_t* value);
  bool ParseBool(bool* value);
  bool ParseNumber(double* value);
  bool ParseString(std::string* value);
  // The token's contents without its escapes; it stays.
  bool Unescaped(std::string* value);
  // Items between `open` and `close`, separated by commas.
  template <typename Item>
  bool ParseList(Tok open, absl::string_view open_text, Tok close,
                 absl::string_view close_text, Item item) {
    if (!Expect(open, open_text)) return false;
    if (Eat(close)) return true;
    while (true) {
      if (!item()) return false;
      if (Eat(close)) return true;
      if (!Is(Tok::kComma)) {
        return Unexpected(close == Tok::kRBrace   ? "',' or '}'"
                          : close == Tok::kRParen ? "',' or ')'"
                                                  : "',' or ']'");
      }
      lexer_.Next();
    }
  }
  template <typename Item>
  bool ParseBraces(Item item) {
    return ParseList(Tok::kLBrace, "'{'", Tok::kRBrace, "'}'", item);
  }
  template <typename Item>
  bool ParseParens(Item item) {
    return ParseList(Tok::kLParen, "'('", Tok::kRParen, "')'", item);
  }
  template <typename Item>
  bool ParseSquares(Item item) {
    return ParseList(Tok::kLSquare, "'['", Tok::kRSquare, "']'", item);
  }
  // At a key of metadata that there is no more: over it and its value.
  bool SkipOldMetadata();

  // unknown_text.cc. What this version does not know; see hlo/ir/unknown.h.
  bool KeepsAttributes() const {
    return options_.unknown != UnknownPolicy::kRefuse;
  }
  bool KeepsMeaning() const {
    return options_.unknown == UnknownPolicy::kKeepAll;
  }
  // Counts `what`, "attribute 'x' of add", for the one warning about it.
  void NoteUnknown(std::string what, size_t offset);
  void WarnOfUnknowns();
  // At a word within the value of an attribute. Always false. Where the value can
  // be kept (keeps_value_), unknown_word_ is set and nothing reported: the caller
  // keeps the value as it is. Words with a meaning for execution are kept under
  // --lenient only, which the message then names.
  bool UnknownWord(absl::string_view word, std::string message, bool has_meaning);
  // Where a value that begins at `begin` ends: at a comma, a closing bracket or
  // the end of the line outside of brackets and strings. With `header`, at the
  // '{' of a computation's body too. `begin` if there is no value.
  size_t ValueEnd(size_t begin, bool header = false) const;
  bool keeps_value_ = false;
  std::string unknown_word_;
  // The offset behind the '}' that matches the '{' at `begin`, strings and
  // comments taken into account; 0 if there is none.
  size_t MatchingBrace(size_t begin) const;

  Lexer lexer_;
  Diagnostics* diagnostics_;
  const ParseOptions options_;
  const Tables& tables_;
  // Deals the stack frames of a module's metadata anew.
  std::unique_ptr<StackFrameCompactor> frames_;
  // Whether a constant was elided, for the warning; the caller clears it.
  bool elided_constant_ = false;
  // What constants hold beyond what the text says, in bytes.
  int64_t filled_bytes_ = 0;
  // The nesting limit was met: there is no use in reading on.
  bool too_deep_ = false;
  bool old_metadata_met_ = false;

 private:
  // A direct-mapped memory of what texts meant. The hash is kept beside the
  // text, for the text itself is far away. It is small, so that what it lets go
  // is still near.
  template <typename T, size_t kSlots>
  class Memo {
   public:
    // The slot of `key`; its value is null unless it was stored for this key.
    T& At(absl::string_view key) {
      if (slots_.empty()) slots_.resize(kSlots);
      const size_t hash = absl::HashOf(key);
      Slot& slot = slots_[hash % kSlots];
      if (slot.hash != hash || slot.key != key) {
        slot.value = nullptr;
        slot.hash = hash;
        slot.key = key;
      }
      return slot.value;
    }

   private:
    struct Slot {
      size_t hash = 0;
      absl::string_view key;
      T value;
    };
    std::vector<Slot> slots_;
  };

  bool Enter();

  // shape_parser.cc
  size_t SimpleTypeEnd() const;
  bool ParseTypeTokens(Shape* shape);
  bool ParseTupleType(Shape* shape);
  bool ParseBufferType(Shape* shape);
  bool ParseArrayType(Shape* shape);
  bool ParseDimension(DimensionVector* sizes,
                      absl::InlinedVector<bool, 8>* dynamic);
  bool ParseLayoutBody(Layout* layout);
  bool ParseTiles(Layout* layout);
  bool ParseSplitConfigs(Layout* layout);
  bool ParseLayoutWord(absl::string_view word, int64_t* value);
  bool KeepLayoutWords(absl::string_view after, Layout* layout);
  bool ParseUnknownType(PrimitiveType* type);
  bool KeepMetadataItem(std::string* kept);
  bool ParseLayoutType(Tok mark, PrimitiveType* type);
  bool SkipDimensionLevelTypes();

  // literal_parser.cc
  bool ParseTupleLiteral(const Shape& shape, Literal* literal);
  bool ParseArrayLiteral(const Shape& shape, Literal* literal);
  bool FillElided(const Shape& shape, size_t offset, Literal* literal);
  bool FillElidedTuple(const Shape& shape, Literal* literal);
  bool FillElidedParts(const Shape& shape, size_t offset, Literal* literal);
  void SkipElided();
  bool CountFilled(const Shape& shape, size_t offset);

  // sharding_parser.cc
  bool ParseOneSharding(Sharding* sharding);
  // `kinds` counts the words that say what kind of sharding it is.
  bool ParseShardingWord(Sharding* sharding, size_t begin, int* kinds);
  bool ParseTiledDevices(Sharding* sharding);
  bool ParseLastTileDims(Sharding* sharding);
  bool ParseShardingMetadata(std::vector<OpMetadata>* metadata);
  bool CheckTiles(const Sharding& sharding, size_t offset);
  bool ParseNamedSharding(Sharding* sharding);
  bool ParseNamedDimensions(NamedSharding* named);
  bool ParseNamedAxes(Sharding* sharding, uint8_t* seen);
  bool ParseReductionOp(int64_t* op);
  bool ParseIota(Int64List* reshape_dims, Int64List* transpose_perm,
                 int64_t product);
  bool ParseMesh(Mesh* mesh);
  bool ParseMeshDevices(Mesh* mesh);
  bool ParseAxisRef(const Mesh& mesh, AxisRef* axis);
  bool ParseAxisRefs(const Mesh& mesh, AxisRefs* axes);
  bool AtMesh() const;
  bool ParseInts(Tok close, Int64List* list);

  // structure_parser.cc
  bool ParseWindowPart(Window* window, uint8_t* seen);
  bool ScanInts(absl::string_view what, Int64List* values);
  bool ScanPadding(std::vector<PaddingDimension>* dimensions);
  bool ParseTensorSparsity(TensorSparsity* sparsity);

  // metadata_parser.cc
  void DealFrame(OpMetadata* metadata);
  bool ParseOriginTree(ShapeIndex* index, OriginalValue* value, Shape* tree);

  int depth_ = 0;
  struct UnknownNote {
    size_t offset = 0;
    int64_t count = 0;
  };
  absl::flat_hash_map<std::string, UnknownNote> unknown_notes_;
  absl::flat_hash_map<absl::string_view, Shape> types_;
  Memo<std::shared_ptr<const OpMetadata>, 512> metadata_;
  uint32_t elided_words_ = 0;
  uint8_t elided_bytes_ = 0;
};

}  // namespace hlokit::parse

#endif  // HLOKIT_HLO_PARSE_TEXT_PARSER_H_
