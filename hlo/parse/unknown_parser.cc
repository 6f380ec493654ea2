// Attributes, opcodes and constants that this version does not know, kept as
// they are. What is kept where is told in hlo/ir/unknown.h.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/suggest.h"
#include "hlo/ir/unknown.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

std::string CallMark(size_t index) { return absl::StrCat("%<", index, ">"); }

// The name at the end of an operand, with its '%'; empty if there is none.
absl::string_view TrailingName(absl::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsIdentByte(text[begin - 1])) --begin;
  while (begin < text.size() && !IsIdentStart(text[begin])) ++begin;
  if (begin == text.size()) return {};
  if (begin > 0 && text[begin - 1] == '%') --begin;
  return text.substr(begin);
}

}  // namespace

bool ModuleParser::KeepAttribute(Opcode opcode, absl::string_view last,
                                 Attributes* attributes) {
  const size_t offset = token().begin;
  const std::string name(token().text);
  const size_t begin = lexer_.SkipBlanks(token().end);
  const size_t end = ValueEnd(begin);
  if (end == begin) {
    return ErrorHere(absl::StrCat("the value of the unknown attribute '", name,
                                  "' is missing or does not end"));
  }
  std::string text(lexer_.text().substr(offset, end - offset));
  if (attributes->of_unknown_opcode) {
    lexer_.Reset(begin);
    if (!KeepCalls(name, attributes, &text)) return false;
  } else {
    const std::string hint =
        DidYouMean(name, tables_.AttributeNames(opcode));
    NoteUnknown(absl::StrCat("attribute '", name, "' of ", OpcodeName(opcode),
                             hint.empty() ? "" : " (", absl::StripPrefix(hint, "; "),
                             hint.empty() ? "" : ")"),
                offset);
    lexer_.Reset(end);
  }
  attributes->unknown.push_back({std::string(last), std::move(text)});
  return true;
}

bool ModuleParser::KeepValue(AttrId id, size_t offset, absl::string_view last,
                             Attributes* attributes) {
  const std::string word = std::exchange(unknown_word_, "");
  lexer_.Reset(offset);  // at the name
  const size_t begin = lexer_.SkipBlanks(token().end);
  const size_t end = ValueEnd(begin);
  if (end == begin) {
    return Error(offset, absl::StrCat("the value of ", AttributeName(id),
                                      " does not end"));
  }
  NoteUnknown(absl::StrCat("word '", word, "' in ", AttributeName(id)), offset);
  attributes->unknown.push_back(
      {std::string(last),
       std::string(lexer_.text().substr(offset, end - offset))});
  lexer_.Reset(end);
  return true;
}

bool ModuleParser::KeepCalls(std::string name, Attributes* attributes,
                             std::string* text) {
  const size_t begin = token().begin;
  auto& called = attributes->computations;
  const auto take = [&](Computation* computation) {
    called.emplace_back(AttrId::kCalledComputations, computation);
    return CallMark(called.size() - 1);
  };
  const auto find = [&]() -> Computation* {
    if (!Is(Tok::kName) && !Is(Tok::kIdent)) return nullptr;
    auto it = computations_.find(token().text);
    return it == computations_.end() ? nullptr : it->second;
  };
  if (Computation* computation = find()) {
    *text = absl::StrCat(name, "=", take(computation));
    lexer_.Next();
    return true;
  }
  if (Is(Tok::kLBrace)) {
    std::vector<Computation*> list;
    lexer_.Next();
    while (Computation* computation = find()) {
      list.push_back(computation);
      lexer_.Next();
      if (!Eat(Tok::kComma)) break;
    }
    if (!list.empty() && Is(Tok::kRBrace)) {
      std::vector<std::string> marks;
      for (Computation* computation : list) marks.push_back(take(computation));
      *text = absl::StrCat(name, "={", absl::StrJoin(marks, ", "), "}");
      lexer_.Next();
      return true;
    }
    if (list.empty() && (Is(Tok::kName) || Is(Tok::kIdent))) {
      // The body of a computation begins with "[ROOT] name =".
      if (IsWord("ROOT")) lexer_.Next();
      lexer_.Next();
      if (Is(Tok::kEqual)) {
        lexer_.Reset(begin);
        Computation* nested = nullptr;
        if (!ParseNestedComputation(&nested)) return false;
        *text = absl::StrCat(name, "=", take(nested));
        return true;
      }
    }
  }
  lexer_.Reset(ValueEnd(begin));
  return true;
}

void ModuleParser::StoreUnknown(Instruction* instruction,
                                const std::vector<UnknownItem>& items) {
  std::vector<UnknownItem> all =
      UnknownItemsFromString(UnknownPart(*instruction, kUnknownTextKey));
  all.insert(all.end(), items.begin(), items.end());
  SetUnknownPart(instruction, kUnknownTextKey, UnknownItemsToString(all));
}

void ModuleParser::StoreUnknown(const Computation& computation,
                                const std::vector<UnknownItem>& items) {
  module_->frontend_attributes[UnknownKeyOf(kUnknownTextKey,
                                            computation.name())] =
      UnknownItemsToString(items);
}

bool ModuleParser::KeepHeaderAttribute(absl::string_view last,
                                       std::vector<UnknownItem>* items) {
  const size_t offset = token().begin;
  const size_t begin = lexer_.SkipBlanks(token().end);
  const size_t end = ValueEnd(begin);
  if (end == begin) {
    return ErrorHere(absl::StrCat("the value of the unknown attribute '",
                                  token().text,
                                  "' is missing or does not end"));
  }
  NoteUnknown(absl::StrCat("attribute '", token().text, "' of the module"),
              offset);
  items->push_back({std::string(last),
                    std::string(lexer_.text().substr(offset, end - offset))});
  lexer_.Reset(end);
  return true;
}

bool ModuleParser::KeepComputationAttributes(absl::string_view place,
                                             std::vector<UnknownItem>* items) {
  while (Is(Tok::kComma)) {
    const size_t comma = token().begin;
    lexer_.Next();
    if (!Is(Tok::kAttr)) return NoAttributeBehind(comma);
    const size_t offset = token().begin;
    const size_t begin = lexer_.SkipBlanks(token().end);
    const size_t end = ValueEnd(begin, /*header=*/place.empty());
    if (end == begin) {
      return ErrorHere(absl::StrCat("the value of the unknown attribute '",
                                    token().text,
                                    "' is missing or does not end"));
    }
    NoteUnknown(
        absl::StrCat("attribute '", token().text, "' of a computation"),
        offset);
    items->push_back({std::string(place),
                      std::string(lexer_.text().substr(offset, end - offset))});
    lexer_.Reset(end);
  }
  return true;
}

// One operand, up to `end`, becomes `text`. It is not plain when it is a literal
// or the like.
bool ModuleParser::ParseUnknownOperand(Pending* pending, size_t end,
                                       std::string* text, bool* plain) {
  Scope* scope = pending->scope;
  const absl::string_view whole =
      lexer_.text().substr(token().begin, end - token().begin);
  const absl::string_view shown = TrailingName(whole);
  const absl::string_view name = absl::StripPrefix(shown, "%");
  Instruction* operand = name.empty() ? nullptr : scope->names.Find(name);
  const bool is_name = !shown.empty() && shown == whole;
  if (operand == nullptr && !name.empty() &&
      (is_name || absl::StartsWith(shown, "%"))) {
    Shape type;
    const bool typed = !is_name && AtType();
    if (typed && !ParseType(&type)) return false;
    operand = FindOperand(scope, name, name.data() - lexer_.text().data(),
                          typed ? &type : nullptr);
    if (operand == nullptr) return false;
  }
  *text = std::string(whole);
  *plain = operand != nullptr;
  if (operand == nullptr) return true;
  text->resize(whole.size() - shown.size());
  absl::StrAppend(text, CallMark(pending->operands.size()));
  pending->operands.push_back(operand);
  return true;
}

bool ModuleParser::ParseUnknownOperands(Pending* pending,
                                        std::vector<UnknownItem>* items) {
  std::vector<std::string> texts;
  bool all_plain = true;
  while (!Is(Tok::kRParen)) {
    const size_t end = ValueEnd(token().begin);
    if (end == token().begin) return Unexpected("an operand or ')'");
    bool plain = false;
    if (!ParseUnknownOperand(pending, end, &texts.emplace_back(), &plain)) {
      return false;
    }
    all_plain &= plain;
    lexer_.Reset(end);
    if (!Eat(Tok::kComma) && !Is(Tok::kRParen)) {
      return Unexpected("',' or ')' behind the operand");
    }
  }
  lexer_.Next();
  if (!all_plain) items->push_back({"(", absl::StrJoin(texts, ", ")});
  return true;
}

Instruction* ModuleParser::CreateUnknown(Pending* pending) {
  Scope* scope = pending->scope;
  std::vector<UnknownItem> items;
  if (!ParseUnknownOperands(pending, &items)) return nullptr;
  if (pending->is_operand) NameAnonymous(pending);
  Instruction* instruction = scope->computation->Add(
      Opcode::kCustomCall, pending->type, pending->operands, pending->name);
  if (!Define(*pending, instruction)) return nullptr;
  Attributes attributes;
  attributes.of_unknown_opcode = true;
  if (!pending->is_operand &&
      !ParseAttributes(Opcode::kCustomCall, scope, instruction,
                       /*allow_async=*/false, &attributes)) {
    return nullptr;
  }
  for (Instruction* predecessor : attributes.control_predecessors) {
    instruction->AddControlPredecessor(predecessor);
  }
  if (!pending->is_operand) instruction_is_read_ = true;
  items.insert(items.end(), attributes.unknown.begin(),
               attributes.unknown.end());
  if (!items.empty()) StoreUnknown(instruction, items);
  MakeUnknownOperation(instruction, pending->unknown_opcode);
  std::vector<Computation*> called;
  for (const auto& [id, computation] : attributes.computations) {
    if (computation != nullptr) called.push_back(computation);
  }
  if (!called.empty()) instruction->set_called_computations(std::move(called));
  if (attributes.Has(AttrId::kSharding) && instruction->shape().IsTuple() &&
      !ExpandSharding(instruction, attributes.PlaceOf(AttrId::kSharding))) {
    return nullptr;
  }
  return instruction;
}

bool ModuleParser::KeepsConstant(const Pending& pending) const {
  if (options_.keep_elided_constants && AtElided()) return true;
  if (!KeepsMeaning()) return false;
  bool unknown = false;
  ForEachLeaf(pending.type, [&](const Shape& leaf, const ShapeIndex&) {
    unknown |= IsUnknownType(leaf.element_type());
  });
  return unknown;
}

Instruction* ModuleParser::KeepConstant(Pending* pending, size_t begin) {
  lexer_.Reset(begin);
  size_t end = begin;
  // Commas and lines do not end a constant; its closing parenthesis does.
  while (lexer_.ByteAt(end) != ')' && end < lexer_.size()) {
    const size_t next = ValueEnd(end);
    const char c = lexer_.ByteAt(end);
    if (next == end && c != ',' && !IsBlank(c)) {
      Error(begin, "this constant does not end");
      return nullptr;
    }
    end = next > end ? next : end + 1;
  }
  if (end == begin) {
    Unexpected("a constant");
    return nullptr;
  }
  Instruction* constant = pending->scope->computation->Add(
      Opcode::kConstant, pending->type, {}, pending->name);
  const absl::string_view text = lexer_.text().substr(begin, end - begin);
  if (text != "{...}") StoreUnknown(constant, {{"(", std::string(text)}});
  lexer_.Reset(end);
  return constant;
}

}  // namespace hlokit::parse
