// Operands: names, names with types, elements of tuples, whole instructions.
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {
namespace {

// A suggestion looks at this many names at most.
constexpr size_t kMaxCandidates = 100000;

}  // namespace

bool ModuleParser::ParseOperands(Pending* pending) {
  if (Eat(Tok::kRParen)) return true;
  while (true) {
    if (!ParseOperand(pending)) return false;
    if (Is(Tok::kComma)) {
      lexer_.Next();
    } else if (Is(Tok::kRParen)) {
      lexer_.Next();
      return true;
    } else {
      return Unexpected("',' or ')' behind the operand");
    }
  }
}

bool ModuleParser::ParseOperand(Pending* pending) {
  Scope* scope = pending->scope;
  // The usual case first: a name.
  if (Is(Tok::kName) ||
      (Is(Tok::kIdent) && (lexer_.after() == ',' || lexer_.after() == ')'))) {
    std::optional<Shape> by_use;
    if (scope->makes_parameters) by_use = OperandTypeByUse(*pending);
    const int64_t parameters = scope->parameters;
    Instruction* operand = FindOperand(scope, token().text, token().begin,
                                       by_use ? &*by_use : nullptr);
    if (operand == nullptr) return false;
    if (scope->parameters != parameters && made_parameters_++ == 0) {
      first_made_ = token().begin;
      first_made_name_ = token().text;
    }
    lexer_.Next();
    if (Is(Tok::kHash) && !ParseElementOf(scope, &operand)) return false;
    pending->operands.push_back(operand);
    return true;
  }
  const size_t type_offset = token().begin;
  bool has_type = false;
  Shape type;
  if (AtType()) {
    has_type = true;
    if (!ParseType(&type)) return false;
  }
  if (Is(Tok::kIdent) &&
      lexer_.ByteAt(lexer_.SkipBlanks(token().end)) == '(') {
    return ParseNestedOperand(pending, has_type, std::move(type), type_offset);
  }
  Instruction* operand = nullptr;
  if (Is(Tok::kName) || Is(Tok::kIdent)) {
    operand = FindOperand(scope, token().text, token().begin,
                          has_type ? &type : nullptr);
    if (operand == nullptr) return false;
    lexer_.Next();
    if (Is(Tok::kHash) && !ParseElementOf(scope, &operand)) return false;
  } else if (has_type && scope->makes_parameters) {
    operand = scope->computation->AddParameter(
        scope->parameters, type, absl::StrCat("_", scope->parameters));
    ++scope->parameters;
  } else {
    return Unexpected("an operand");
  }
  // Layouts of operand types are not held against them.
  if (has_type && operand->shape().IsValid() &&
      !ShapesCompatible(type, operand->shape())) {
    return Error(type_offset,
                 absl::StrCat("'", operand->name(), "' is of type ",
                              operand->shape().ToString(false), ", not ",
                              type.ToString(false)));
  }
  pending->operands.push_back(operand);
  return true;
}

bool ModuleParser::ParseNestedOperand(Pending* pending, bool has_type,
                                      Shape type, size_t type_offset) {
  Nesting nesting(this);
  if (!nesting.ok()) return false;
  Pending nested;
  nested.scope = pending->scope;
  nested.name_offset = type_offset;
  nested.is_operand = true;
  nested.has_type = has_type;
  nested.type = std::move(type);
  nested.type_offset = type_offset;
  if (!ParseOpcode(&nested)) return false;
  Instruction* operand = Create(&nested);
  if (operand == nullptr) return false;
  pending->operands.push_back(operand);
  return true;
}

// Names a nested instruction, after those nested in it.
void ModuleParser::NameAnonymous(Pending* pending) {
  pending->name = module_->Keep(anonymous_names_.Unique(
      absl::StrCat(OpcodeName(pending->opcode), ".anon")));
}

Instruction* ModuleParser::FindOperand(Scope* scope, absl::string_view name,
                                       size_t offset, const Shape* type) {
  if (Instruction* known = scope->names.Find(name)) return known;
  if (scope->makes_parameters && type != nullptr) {
    Instruction* parameter =
        scope->computation->AddParameter(scope->parameters++, *type, name);
    scope->names.Insert(parameter, OffsetOfName(name, offset));
    return parameter;
  }
  if (scope->makes_parameters) {
    Error(offset, absl::StrCat("'", name, "' is not in this text, and its use "
                               "does not tell its type; write the type before "
                               "it, f32[2,3] ", name));
    return nullptr;
  }
  std::vector<absl::string_view> names;
  scope->names.ForEach([&](const Instruction& known) {
    if (names.size() < kMaxCandidates) names.push_back(known.name());
  });
  std::string hint = DidYouMean(name, names);
  if (hint.empty() && tables_.FindType(name) != kInvalid) {
    hint = absl::StrCat("; a type needs brackets: ", name, "[]");
  } else if (hint.empty() && computations_.contains(name)) {
    hint = "; that is a computation";
  }
  Error(offset, absl::StrCat("no instruction before this one is called '",
                             name, "'", hint));
  return nullptr;
}

// "#0#1" behind an operand.
bool ModuleParser::ParseElementOf(Scope* scope, Instruction** operand) {
  while (Is(Tok::kHash)) {
    lexer_.Next();
    const size_t offset = token().begin;
    int64_t index;
    if (!ParseNonNegative(&index, "a tuple index")) return false;
    const Shape& shape = (*operand)->shape();
    if (!shape.IsValid()) continue;
    if (!shape.IsTuple() ||
        index >= static_cast<int64_t>(shape.tuple_shapes().size())) {
      return Error(offset, absl::StrCat("'", (*operand)->name(), "' of type ",
                                        shape.ToString(false),
                                        " has no element ", index));
    }
    Instruction*& element = scope->elements[{*operand, index}];
    if (element == nullptr) {
      element = scope->computation->AddGetTupleElement(
          *operand, index,
          absl::StrCat((*operand)->name(), ".gte.", index));
    }
    *operand = element;
  }
  return true;
}

}  // namespace hlokit::parse
