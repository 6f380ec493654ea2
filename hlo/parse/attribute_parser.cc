// Attributes of instructions. Which there are and of what kind stands in the
// tables; here is one function a kind.
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

// Opcodes that had other attributes in old texts.
bool TakesMode(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart ||
         opcode == Opcode::kReduceScatter;
}

// Flags that are kept also when they are false.
bool KeepsFalse(AttrId id) {
  return id == AttrId::kLargest || id == AttrId::kHasDynamicRoot;
}

}  // namespace

bool ModuleParser::ParseAttributes(Opcode opcode, Scope* scope,
                                   Instruction* target, bool allow_async,
                                   Attributes* attributes) {
  absl::string_view last;  // known attribute
  while (Is(Tok::kComma)) {
    const size_t comma = token().begin;
    lexer_.Next();
    if (!Is(Tok::kAttr)) return NoAttributeBehind(comma);
    const absl::string_view name = token().text;
    const size_t offset = token().begin;
    // What an unknown opcode takes is unknown but for what all opcodes take.
    std::optional<AttrId> id = tables_.FindAttribute(
        attributes->of_unknown_opcode ? Opcode::kTuple : opcode, name);
    if (allow_async && !id && name == "async_execution_thread") {
      id = AttrId::kAsyncExecutionThread;
    }
    if (allow_async && !id && name == "output_to_operand_aliasing") {
      id = AttrId::kOutputToOperandAliasing;
    }
    if (allow_async && !id && name == "calls") id = AttrId::kCalls;
    if (!id) {
      bool was_old = false;
      if (TakesMode(opcode) && !ParseOldAttribute(name, target, &was_old)) {
        return false;
      }
      if (was_old) continue;
      if (KeepsAttributes()) {
        if (!KeepAttribute(opcode, last, attributes)) return false;
        continue;
      }
      return Error(offset,
                   absl::StrCat(OpcodeName(opcode), " has no attribute '", name,
                                "'",
                                DidYouMean(name,
                                           tables_.AttributeNames(opcode))));
    }
    if (attributes->Has(*id)) {
      return Error(offset, absl::StrCat("attribute '", name,
                                        "' is given twice"));
    }
    attributes->seen.set(static_cast<int>(*id));
    attributes->places.emplace_back(*id, offset);
    const AttrKind kind = InfoOf(*id).kind;
    const absl::string_view before = last;
    last = name;
    lexer_.Next();
    if (kind == AttrKind::kComputation || kind == AttrKind::kComputationList ||
        kind == AttrKind::kInstructionList || kind == AttrKind::kMetadata) {
      if (!ParseAttribute(*id, scope, target, attributes)) return false;
    } else {
      keeps_value_ = true;
      const bool ok = ParseStored(*id, kind, &target->mutable_attrs());
      keeps_value_ = false;
      if (ok) continue;
      if (unknown_word_.empty()) return false;
      last = before;
      if (!KeepValue(*id, offset, last, attributes)) return false;
    }
  }
  return true;
}

// Attributes of older texts that have another name or no meaning now.
bool ModuleParser::ParseOldAttribute(absl::string_view name,
                                     Instruction* target, bool* was_old) {
  *was_old = true;
  if (name == "mode") {
    lexer_.Next();
    if (!Is(Tok::kIdent)) return Unexpected("a mode");
    lexer_.Next();
    return true;
  }
  if (name == "barrier") {
    lexer_.Next();
    std::string barrier;
    return ParseString(&barrier);
  }
  if (name == "all_reduce_id") {
    lexer_.Next();
    const size_t offset = token().begin;
    int64_t id;
    return ParseInt64(&id) && StoreInt64(AttrId::kChannelId, id, offset,
                                         &target->mutable_attrs());
  }
  *was_old = false;
  return true;
}

// At what follows a comma and is no attribute.
bool ModuleParser::NoAttributeBehind(size_t comma) {
  const absl::string_view between =
      lexer_.text().substr(comma, token().begin - comma);
  if (!Is(Tok::kEof) &&
      (Is(Tok::kRBrace) || absl::StrContains(between, '\n'))) {
    return Error(comma, "an attribute is missing behind this comma");
  }
  return Unexpected("the name of an attribute, with '=' right behind it");
}

// Attributes that are not part of the attribute set.
bool ModuleParser::ParseAttribute(AttrId id, Scope* scope, Instruction* target,
                                  Attributes* attributes) {
  switch (InfoOf(id).kind) {
    case AttrKind::kComputation: {
      Computation* computation = nullptr;
      if (!ParseComputationName(&computation)) return false;
      attributes->computations.emplace_back(id, computation);
      return true;
    }
    case AttrKind::kComputationList:
      return ParseBraces([&] {
        Computation* computation = nullptr;
        if (!ParseComputationName(&computation)) return false;
        attributes->computations.emplace_back(id, computation);
        return true;
      });
    case AttrKind::kInstructionList:
      return ParseControlPredecessors(scope, attributes);
    default: {
      std::shared_ptr<const OpMetadata> metadata;
      if (!ParseSharedMetadata(&metadata)) return false;
      target->set_metadata(std::move(metadata));
      return true;
    }
  }
}

bool ModuleParser::ParseControlPredecessors(Scope* scope,
                                            Attributes* attributes) {
  return ParseBraces([&] {
    if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
      return Unexpected("the name of an instruction");
    }
    Instruction* predecessor =
        FindOperand(scope, token().text, token().begin, nullptr);
    if (predecessor == nullptr) return false;
    lexer_.Next();
    attributes->control_predecessors.push_back(predecessor);
    return true;
  });
}

bool ModuleParser::ParseComputationName(Computation** computation) {
  if (Is(Tok::kLBrace)) return ParseNestedComputation(computation);
  if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
    return Unexpected("the name of a computation or '{'");
  }
  auto it = computations_.find(token().text);
  if (it == computations_.end() && ReadsPart()) {
    *computation = MakeStandIn();
    return true;
  }
  if (it == computations_.end()) {
    std::vector<absl::string_view> names;
    for (const auto& entry : computations_) names.push_back(entry.first);
    return ErrorHere(absl::StrCat("no computation before this one is called '",
                                  token().text, "'",
                                  DidYouMean(token().text, names)));
  }
  *computation = it->second;
  lexer_.Next();
  return true;
}

template <typename T, typename Reader>
bool ModuleParser::ParseShared(AttrId id, AttributeSet* attrs, Reader read) {
  auto value = std::make_shared<T>();
  if (!(this->*read)(value.get())) return false;
  attrs->Set(id, Shared<T>(std::move(value)));
  return true;
}

bool ModuleParser::ParseStored(AttrId id, AttrKind kind, AttributeSet* attrs) {
  const size_t offset = token().begin;
  switch (kind) {
    case AttrKind::kBool: {
      bool value;
      if (!ParseBool(&value)) return false;
      if (value || KeepsFalse(id) || id == AttrId::kIsStable) {
        attrs->Set(id, value);
      }
      return true;
    }
    case AttrKind::kInt64: {
      int64_t value;
      return ParseInt64(&value) && StoreInt64(id, value, offset, attrs);
    }
    case AttrKind::kFloat: {
      double value;
      if (!ParseNumber(&value)) return false;
      // The proto holds a float.
      attrs->Set(id, static_cast<double>(static_cast<float>(value)));
      return true;
    }
    case AttrKind::kEnum:
      return StoreEnum(id, attrs);
    case AttrKind::kTriState: {
      bool value;
      if (!ParseBool(&value)) return false;
      attrs->Set(id, static_cast<int64_t>(value ? TriState::kTrue
                                                : TriState::kFalse));
      return true;
    }
    case AttrKind::kString: {
      std::string value;
      if (!ParseString(&value)) return false;
      if (!value.empty() || id == AttrId::kCustomCallTarget) {
        attrs->Set(id, std::move(value));
      }
      return true;
    }
    case AttrKind::kBackendConfig: {
      std::string value;
      if (!ParseConfig(&value)) return false;
      if (!value.empty()) attrs->Set(id, std::move(value));
      return true;
    }
    case AttrKind::kInt64List: {
      Int64List list;
      if (!ParseInt64List(&list)) return false;
      if (!list.empty()) attrs->Set(id, std::move(list));
      return true;
    }
    case AttrKind::kBoolList: {
      Int64List list;
      if (!ParseBoolList(&list)) return false;
      if (!list.empty()) attrs->Set(id, std::move(list));
      return true;
    }
    case AttrKind::kEnumList: {
      Int64List list;
      bool any = false;
      if (!ParseBraces([&] {
            if (!ParseEnumWord(id, &list.emplace_back())) return false;
            any |= list.back() != 0;
            return true;
          })) {
        return false;
      }
      if (any) attrs->Set(id, std::move(list));
      return true;
    }
    case AttrKind::kShape: {
      Shape shape;
      if (!ParseType(&shape)) return false;
      attrs->Set(id, std::move(shape));
      return true;
    }
    case AttrKind::kShapeList: {
      ShapeList shapes;
      if (!ParseBraces([&] { return ParseType(&shapes.emplace_back()); })) {
        return false;
      }
      attrs->SetShared(id, std::move(shapes));
      return true;
    }
    case AttrKind::kInt64ListList:
      return ParseShared<Int64ListList>(id, attrs,
                                        &ModuleParser::ParseInt64ListList);
    case AttrKind::kPairList:
      return ParseShared<PairList>(id, attrs, &ModuleParser::ParsePairList);
    case AttrKind::kWindow: {
      Window window;
      if (!ParseWindow(&window)) return false;
      attrs->SetShared(id, std::move(window));
      return true;
    }
    case AttrKind::kDimLabels:
      return ParseShared<ConvolutionDims>(id, attrs,
                                          &ModuleParser::ParseDimLabels);
    case AttrKind::kSparsityConfig: {
      SparsityConfig config;
      if (!ParseSparsityConfig(&config)) return false;
      if (config.has_lhs || config.has_rhs) {
        attrs->SetShared(id, std::move(config));
      }
      return true;
    }
    case AttrKind::kSliceRanges:
      return ParseShared<SliceRanges>(id, attrs,
                                      &ModuleParser::ParseSliceRanges);
    case AttrKind::kReplicaGroups: {
      ReplicaGroups groups;
      if (!ParseReplicaGroups(&groups)) return false;
      if (!groups.empty()) attrs->SetShared(id, std::move(groups));
      return true;
    }
    case AttrKind::kLiteral: {
      elided_constant_ = false;
      if (!ParseShared<Literal>(id, attrs, &ModuleParser::ParseTypedLiteral)) {
        return false;
      }
      if (elided_constant_ && !options_.keep_elided_constants) {
        diagnostics_->Warning(
            "the values of this literal were left out ({...}); made-up ones "
            "are used",
            offset);
      }
      return true;
    }
    case AttrKind::kAliasing: {
      AliasingList aliasing;
      if (!ParseAliasing(&aliasing)) return false;
      if (!aliasing.empty()) attrs->SetShared(id, std::move(aliasing));
      return true;
    }
    case AttrKind::kDomain:
      return ParseShared<DomainShardings>(id, attrs,
                                          &ModuleParser::ParseDomain);
    case AttrKind::kSharding:
      return ParseShardingAttribute(attrs);
    case AttrKind::kFrontendAttributes: {
      FrontendAttributes map;
      if (!ParseFrontendAttributes(&map)) return false;
      if (!map.empty()) attrs->SetShared(id, std::move(map));
      return true;
    }
    case AttrKind::kStatistics: {
      Statistics statistics;
      if (!ParseStatistics(&statistics)) return false;
      if (!(statistics == Statistics())) {
        attrs->SetShared(id, std::move(statistics));
      }
      return true;
    }
    case AttrKind::kResultAccuracy: {
      ResultAccuracy accuracy;
      if (!ParseResultAccuracy(&accuracy)) return false;
      if (!(accuracy == ResultAccuracy())) {
        attrs->SetShared(id, std::move(accuracy));
      }
      return true;
    }
    case AttrKind::kOriginalValue:
      return ParseShared<OriginalValue>(id, attrs,
                                        &ModuleParser::ParseOriginalValue);
    case AttrKind::kPadding:
      return ParseShared<PaddingConfig>(id, attrs,
                                        &ModuleParser::ParsePadding);
    case AttrKind::kComputation:
    case AttrKind::kComputationList:
    case AttrKind::kInstructionList:
    case AttrKind::kMetadata:
      break;  // read by ParseAttributes
  }
  return ErrorHere("this attribute cannot be read here");
}

bool ModuleParser::StoreInt64(AttrId id, int64_t value, size_t offset,
                              AttributeSet* attrs) {
  bool stored = true;
  switch (id) {
    case AttrId::kFeatureGroupCount:
    case AttrId::kBatchGroupCount:
      if (value < 1) {
        return Error(offset,
                     absl::StrCat(AttributeName(id), " must be positive"));
      }
      stored = value != 1;
      break;
    case AttrId::kInferredDimension:
      stored = value != -1;
      break;
    case AttrId::kExponentBits:
    case AttrId::kMantissaBits:
    case AttrId::kCrossProgramPrefetchIndex:
      if (value < std::numeric_limits<int32_t>::min() ||
          value > std::numeric_limits<int32_t>::max()) {
        return Error(offset, absl::StrCat(value, " does not fit 32 bits"));
      }
      break;
    default:
      break;
  }
  if (stored) attrs->Set(id, value);
  return true;
}

bool ModuleParser::ParseEnumWord(AttrId id, int64_t* value) {
  if (Is(Tok::kInt) && KeepsMeaning()) {
    // A word that only its number in a proto is known of.
    *value = token().value;
    lexer_.Next();
    return true;
  }
  if (!Is(Tok::kIdent)) return Unexpected("a word");
  const absl::string_view word = token().text;
  const std::optional<int64_t> number = EnumByWord(id, word);
  if (!number) {
    const std::vector<absl::string_view> words = EnumWords(id);
    return UnknownWord(word,
                       absl::StrCat("'", word, "' is not a value of ",
                                    AttributeName(id),
                                    DidYouMean(word, words)),
                       /*has_meaning=*/true);
  }
  *value = *number;
  lexer_.Next();
  return true;
}

bool ModuleParser::StoreEnum(AttrId id, AttributeSet* attrs) {
  int64_t value;
  if (!ParseEnumWord(id, &value)) return false;
  bool stored = true;
  switch (id) {
    case AttrId::kConvolutionKind:
    case AttrId::kPaddingType:
    case AttrId::kCustomCallSchedule:
    case AttrId::kTransposeA:
    case AttrId::kDotAlgorithm:
      stored = value != 0;
      break;
    case AttrId::kCustomCallApiVersion:
      stored = value != static_cast<int64_t>(CustomCallApiVersion::kOriginal);
      break;
    default:
      break;
  }
  if (stored) attrs->Set(id, value);
  return true;
}

// Equal shardings share their value.
bool ModuleParser::ParseShardingAttribute(AttributeSet* attrs) {
  const size_t begin = token().begin;
  const size_t end = Is(Tok::kLBrace) ? MatchingBrace(begin) : 0;
  const absl::string_view key =
      end == 0 ? absl::string_view()
               : lexer_.text().substr(begin, end - begin);
  if (end != 0) {
    auto it = shardings_.find(key);
    if (it != shardings_.end()) {
      attrs->Set(AttrId::kSharding, it->second);
      lexer_.Reset(end);
      return true;
    }
  }
  auto sharding = std::make_shared<Sharding>();
  if (!ParseSharding(sharding.get())) return false;
  Shared<Sharding> shared = std::move(sharding);
  if (end != 0) shardings_.emplace(key, shared);
  attrs->Set(AttrId::kSharding, std::move(shared));
  return true;
}

}  // namespace hlokit::parse
