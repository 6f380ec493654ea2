// Metadata, frontend attributes, statistics, original values.
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

constexpr size_t kMaxOriginIndices = 1 << 22;

enum MetadataKey {
  kOpType, kOpName, kSourceFile, kDeduplicatedName, kSchedulingName,
  kMetadataPayload, kSourceLine, kSourceEndLine, kSourceColumn,
  kSourceEndColumn, kStackFrameId, kProfileType,
};

const WordTable& MetadataKeys() {
  static const WordTable* const table = new WordTable(
      {"op_type", "op_name", "source_file", "deduplicated_name",
       "scheduling_name", "metadata_payload", "source_line", "source_end_line",
       "source_column", "source_end_column", "stack_frame_id",
       "profile_type"});
  return *table;
}

// What metadata held once; none of it has a place any more.
bool IsOldMetadataKey(absl::string_view key) {
  static constexpr absl::string_view kOld[] = {
      "creation_pass_id", "logical_creation_pass_id", "preserve_layout",
      "profile_info", "size_of_generated_code_in_bytes",
      "size_of_memory_working_set_in_bytes"};
  return std::find(std::begin(kOld), std::end(kOld), key) != std::end(kOld);
}

}  // namespace

bool TextParser::SkipOldMetadata() {
  if (!std::exchange(old_metadata_met_, true)) {
    diagnostics_->Warning(
        absl::StrCat(token().text,
                     "= of older metadata means nothing any more; it and its "
                     "like are left out"),
        token().begin);
  }
  lexer_.Next();
  if (!Is(Tok::kLBrace)) {
    lexer_.Next();
    return true;
  }
  const size_t end = MatchingBrace(token().begin);
  if (end == 0) return ErrorHere("'}' is missing");
  lexer_.Reset(end);
  return true;
}

bool TextParser::ParseMetadata(OpMetadata* metadata) {
  static const WordTable& keys = MetadataKeys();
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  uint32_t seen = 0;
  std::string unknown;
  while (!Eat(Tok::kRBrace)) {
    if (Eat(Tok::kComma)) continue;
    if (!Is(Tok::kAttr)) return Unexpected("'}' or an item like op_name=");
    const int key = keys.Find(token().text);
    if (key < 0) {
      if (IsOldMetadataKey(token().text)) {
        if (!SkipOldMetadata()) return false;
        continue;
      }
      if (KeepsAttributes()) {
        if (!KeepMetadataItem(&unknown)) return false;
        continue;
      }
      return ErrorHere(absl::StrCat("metadata has no '", token().text, "'",
                                    DidYouMean(token().text, keys.words())));
    }
    if (seen & (1u << key)) {
      return ErrorHere(absl::StrCat(token().text, "= stands twice"));
    }
    seen |= 1u << key;
    lexer_.Next();
    bool ok = false;
    switch (static_cast<MetadataKey>(key)) {
      case kOpType: ok = ParseString(&metadata->op_type); break;
      case kOpName: ok = ParseString(&metadata->op_name); break;
      case kSourceFile: ok = ParseString(&metadata->source_file); break;
      case kDeduplicatedName:
        ok = ParseString(&metadata->mutable_rare().deduplicated_name);
        break;
      case kSchedulingName:
        ok = ParseString(&metadata->mutable_rare().scheduling_name);
        break;
      case kMetadataPayload:
        ok = ParseString(&metadata->mutable_rare().metadata_payload);
        if (ok) metadata->mutable_rare().has_metadata_payload = true;
        break;
      case kSourceLine: ok = ParseInt32(&metadata->source_line); break;
      case kSourceEndLine: ok = ParseInt32(&metadata->source_end_line); break;
      case kSourceColumn: ok = ParseInt32(&metadata->source_column); break;
      case kSourceEndColumn:
        ok = ParseInt32(&metadata->source_end_column);
        break;
      case kStackFrameId: ok = ParseInt32(&metadata->stack_frame_id); break;
      case kProfileType:
        ok = ParseInt64List(&metadata->mutable_rare().profile_type);
        break;
    }
    if (!ok) return false;
  }
  if (!unknown.empty()) {
    metadata->mutable_rare().unknown_items = std::move(unknown);
  }
  return true;
}

void TextParser::DealFrame(OpMetadata* metadata) {
  if (frames_ == nullptr || metadata->stack_frame_id == 0) return;
  metadata->stack_frame_id = frames_->Frame(metadata->stack_frame_id);
}

bool TextParser::ParseSharedMetadata(
    std::shared_ptr<const OpMetadata>* metadata) {
  const size_t begin = token().begin;
  const size_t end = Is(Tok::kLBrace) ? MatchingBrace(begin) : 0;
  if (end == 0) {
    OpMetadata value;
    if (!ParseMetadata(&value)) return false;
    DealFrame(&value);
    *metadata = std::make_shared<const OpMetadata>(std::move(value));
    return true;
  }
  const absl::string_view key = lexer_.text().substr(begin, end - begin);
  std::shared_ptr<const OpMetadata>& known = metadata_.At(key);
  if (known == nullptr) {
    auto value = std::make_shared<OpMetadata>();
    if (!ParseMetadata(value.get())) return false;
    DealFrame(value.get());
    known = std::move(value);
  } else {
    lexer_.Reset(end);
  }
  *metadata = known;
  return true;
}

bool TextParser::ParseConfig(std::string* config) {
  if (Is(Tok::kString)) return ParseString(config);
  if (!Is(Tok::kLBrace)) return Unexpected("a quoted string or '{'");
  const size_t begin = token().begin;
  const size_t end = ScanJsonDict(lexer_.text(), begin);
  if (end == absl::string_view::npos) {
    return ErrorHere("this JSON dictionary does not end");
  }
  const absl::string_view dict = lexer_.text().substr(begin, end - begin);
  config->assign(dict.data(), dict.size());
  lexer_.Reset(end);
  return true;
}

bool TextParser::ParseFrontendAttributes(FrontendAttributes* attributes) {
  return ParseBraces([&] {
    if (!Is(Tok::kAttr)) return Unexpected("a name with '='");
    const std::string name(token().text);
    const size_t offset = token().begin;
    lexer_.Next();
    std::string value;
    if (!ParseConfig(&value)) return false;
    const auto [it, fresh] = attributes->try_emplace(name);
    it->second = std::move(value);
    if (!fresh) {
      diagnostics_->Warning(
          absl::StrCat("frontend attribute '", name,
                       "' is given twice; the last one counts"),
          offset);
    }
    return true;
  });
}

bool TextParser::ParseStatistics(Statistics* statistics) {
  bool first = true;
  return ParseBraces([&] {
    if (!Is(Tok::kAttr)) return Unexpected("a name with '='");
    if (first) {
      // Whatever its name, this is the visualizing_index.
      first = false;
      lexer_.Next();
      return ParseInt64(&statistics->visualizing_index);
    }
    auto& [name, value] = statistics->values.emplace_back();
    name = std::string(token().text);
    lexer_.Next();
    return ParseNumber(&value);
  });
}

bool TextParser::ParseOriginalArray(OriginalArray* array, bool* present) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  *present = Is(Tok::kString);
  if (*present) {
    if (!ParseString(&array->instruction_name)) return false;
    if (Is(Tok::kLBrace) && !ParseShapeIndex(&array->shape_index)) return false;
  }
  return Expect(Tok::kRBrace, *present ? "'}'" : "a quoted name or '}'");
}

bool TextParser::ParseOriginTree(ShapeIndex* index, OriginalValue* value,
                                 Shape* tree) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  if (!Is(Tok::kLParen)) {
    // Each leaf stores its path; a short text must not make a huge table.
    if (value->leaves.size() * index->size() > kMaxOriginIndices) {
      return ErrorHere("too many leaves nested too deeply");
    }
    OriginalValue::Leaf leaf;
    leaf.index = *index;
    if (!ParseOriginalArray(&leaf.array, &leaf.present)) return false;
    value->leaves.push_back(std::move(leaf));
    *tree = Shape::Opaque();
    return true;
  }
  std::vector<Shape> elements;
  index->push_back(0);
  const bool ok = ParseParens([&] {
    index->back() = elements.size();
    return ParseOriginTree(index, value, &elements.emplace_back());
  });
  index->pop_back();
  *tree = Shape::Tuple(std::move(elements));
  return ok;
}

bool TextParser::ParseOriginalValue(OriginalValue* value) {
  if (!Expect(Tok::kLBrace, "'{'")) return false;
  if (Is(Tok::kLSquare)) {
    lexer_.Next();
    value->is_synthetic_call = true;
    if (!EatWord("synthetic_call")) return Unexpected("synthetic_call");
    return Expect(Tok::kRSquare, "']'") && Expect(Tok::kRBrace, "'}'");
  }
  if (Eat(Tok::kRBrace)) {
    value->tree = Shape::Tuple({});
    return true;
  }
  ShapeIndex index;
  if (!ParseOriginTree(&index, value, &value->tree)) return false;
  (void)value->MakeTree();
  return Expect(Tok::kRBrace, "'}'");
}

}  // namespace hlokit::parse
