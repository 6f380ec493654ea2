// Instructions: "ROOT name = type opcode(operands), attributes".
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/module_parser.h"

namespace hlokit::parse {

bool ModuleParser::ParseInstruction(Scope* scope) {
  bool is_root = false;
  const size_t begin = token().begin;
  if (IsWord("ROOT")) {
    is_root = true;
    lexer_.Next();
  }
  Pending pending;
  pending.scope = scope;
  if (!Is(Tok::kName) && !Is(Tok::kIdent)) {
    if (Is(Tok::kAttr)) {
      return ErrorHere(absl::StrCat("write a blank between '", token().text,
                                    "' and '='"));
    }
    if (Is(Tok::kEof)) {
      return ErrorHere("the text ends inside a computation; '}' is missing");
    }
    return Unexpected(is_root ? "an instruction after ROOT"
                              : "an instruction or '}'");
  }
  pending.name = token().text;
  pending.name_offset = token().begin;
  const bool is_bare = Is(Tok::kIdent);
  lexer_.Next();
  if (!Is(Tok::kEqual)) {
    if (is_bare && pending.name == "HloModule") {
      return Error(begin, "a HloModule line inside a computation; '}' is "
                          "missing before it");
    }
    if (IsComputationHeader(begin)) {
      return Error(begin, "a computation begins here; '}' is missing before "
                          "it");
    }
    return Unexpected("'=' behind the instruction's name");
  }
  lexer_.Next();
  if (is_bare && tables_.IsKeyword(pending.name)) {
    return Error(pending.name_offset,
                 absl::StrCat("'", pending.name, "' is a keyword; write %",
                              pending.name));
  }
  scope->names.Prefetch(pending.name);
  Instruction* instruction = nullptr;
  if (CheckName(pending)) instruction = ParseRhs(&pending);
  const bool ok = instruction != nullptr;
  if (!ok) instruction = Broken(&pending);
  if (is_root) {
    if (scope->root != nullptr && ok) {
      return Error(begin, absl::StrCat("a second ROOT; '", scope->root->name(),
                                       "' is the root already"));
    }
    scope->root = instruction;
  }
  return ok;
}

bool ModuleParser::CheckName(const Pending& pending) {
  const absl::string_view name = pending.name;
  if (name.size() <= 13 && tables_.FindType(name) != kInvalid) {
    return Error(pending.name_offset,
                 absl::StrCat("'", name, "' is the name of a type; call the "
                              "instruction '", name, "_' or otherwise"));
  }
  if (name.size() >= 2 && name[0] == '_' && name[1] == '_' &&
      !absl::StartsWith(name, "__xla_")) {
    return Error(pending.name_offset,
                 absl::StrCat("names cannot begin with '__' (except __xla_): '",
                              name, "'"));
  }
  return true;
}

// Where a name begins, without '%'; `offset` if it does not stand in the text.
size_t ModuleParser::OffsetOfName(absl::string_view name, size_t offset) const {
  const size_t place = name.data() - lexer_.text().data();
  return place < lexer_.size() ? place : offset;
}

bool ModuleParser::Define(const Pending& pending, Instruction* instruction) {
  NameTable& names = pending.scope->names;
  if (names.Insert(instruction,
                   OffsetOfName(pending.name, pending.name_offset))) {
    // A computation that turns out large gets its space at once.
    if (names.size() == 512) ReserveNames(pending.scope);
    return true;
  }
  Error(pending.name_offset,
        absl::StrCat("a second instruction '", pending.name,
                     "' in this computation"));
  diagnostics_->Note(absl::StrCat("'", pending.name, "' was defined here"),
                     names.OffsetOf(pending.name));
  return false;
}

Instruction* ModuleParser::Broken(Pending* pending) {
  Scope* scope = pending->scope;
  if (Instruction* known = scope->names.Find(pending->name)) return known;
  Instruction* placeholder =
      scope->computation->Add(Opcode::kTuple, Shape(), {}, pending->name);
  Define(*pending, placeholder);
  return placeholder;
}

Instruction* ModuleParser::ParseRhs(Pending* pending) {
  pending->type_offset = token().begin;
  if (AtType()) {
    pending->has_type = true;
    if (!ParseType(&pending->type)) return nullptr;
  }
  if (!ParseOpcode(pending)) return nullptr;
  return Create(pending);
}

bool ModuleParser::ParseOpcode(Pending* pending) {
  if (!Is(Tok::kIdent)) {
    if (pending->has_type && Is(Tok::kLBrace)) {
      return ErrorHere(
          "this is no layout: it must have an entry for each dimension");
    }
    return Unexpected(pending->has_type ? "an opcode" : "a type or an opcode");
  }
  const absl::string_view name = token().text;
  pending->opcode_offset = token().begin;
  if (const auto opcode = tables_.FindOpcode(name)) {
    pending->opcode = *opcode;
  } else if (!FindAsyncOpcode(name, pending)) {
    if (!pending->has_type &&
        lexer_.ByteAt(lexer_.SkipBlanks(token().end)) != '(') {
      return Unexpected("a type or an opcode");
    }
    if (lexer_.SkipBlanks(token().end) >= lexer_.size()) {
      return ErrorHere(absl::StrCat("the text ends inside a computation, at '",
                                    name, "'"));
    }
    if (!FindOldOpcode(name, pending)) {
      if (!KeepsMeaning() || !pending->has_type) {
        return ErrorHere(
            absl::StrCat("no opcode is called '", name, "'",
                         DidYouMean(name, tables_.opcode_names()),
                         KeepsMeaning() ? "; an unknown one needs a type "
                                          "before it"
                         : KeepsAttributes()
                             ? "; --lenient keeps unknown opcodes"
                             : ""));
      }
      pending->opcode = Opcode::kCustomCall;
      pending->unknown_opcode = name;
      NoteUnknown(absl::StrCat("opcode '", name, "'"), token().begin);
    }
  }
  lexer_.Next();
  return true;
}

bool ModuleParser::ParseParameterNumber(const Pending& pending,
                                        int64_t* number) {
  const size_t offset = token().begin;
  if (!Is(Tok::kInt)) return Unexpected("the parameter's number");
  if (!ParseNonNegative(number, "a parameter number")) return false;
  if (pending.scope->makes_parameters) {
    renumbers_parameters_ |= *number != pending.scope->parameters;
    *number = pending.scope->parameters++;
    return true;
  }
  // Every parameter is an instruction of several bytes.
  if (*number > static_cast<int64_t>(lexer_.size() / 8)) {
    return Error(offset, absl::StrCat("parameter ", *number,
                                      " without those before it"));
  }
  const Computation& computation = *pending.scope->computation;
  if (*number < computation.parameter_count() &&
      computation.parameter(*number) != nullptr) {
    return Error(offset,
                 absl::StrCat("'", computation.parameter(*number)->name(),
                              "' is parameter ", *number, " already"));
  }
  return true;
}

Instruction* ModuleParser::CreateConstant(Pending* pending) {
  auto literal = std::make_shared<Literal>();
  elided_constant_ = false;
  if (!SkipOldConstantType(pending->type)) return nullptr;
  const size_t offset = token().begin;
  if (KeepsConstant(*pending)) return KeepConstant(pending, offset);
  if (!ParseLiteral(pending->type, literal.get())) {
    // "{...}" further in.
    return elided_constant_ && options_.keep_elided_constants
               ? KeepConstant(pending, offset)
               : nullptr;
  }
  if (elided_constant_) {
    diagnostics_->Warning(
        absl::StrCat("the values of constant '", pending->name, "' (",
                     pending->type.ToString(false),
                     ") were left out ({...}); made-up ones are used"),
        offset);
  }
  // Bounds of dynamic dimensions have become sizes.
  Instruction* constant = pending->scope->computation->Add(
      Opcode::kConstant, literal->shape(), {}, pending->name);
  constant->mutable_attrs().Set(AttrId::kLiteral,
                                Shared<Literal>(std::move(literal)));
  return constant;
}

bool ModuleParser::CheckOperandCount(const Pending& pending) {
  const OpcodeInfo& info = InfoOf(pending.opcode);
  const int64_t count = pending.operands.size();
  int64_t least = 0;
  switch (pending.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (count < 2 || count % 2 != 0) {
        return Error(pending.opcode_offset,
                     absl::StrCat(info.name, " takes as many initial values as "
                                  "arrays, found ", count, " operands"));
      }
      return true;
    case Opcode::kScatter:
      if (count < 3 || count % 2 != 1) {
        return Error(pending.opcode_offset,
                     absl::StrCat("scatter takes arrays, indices and as many "
                                  "updates, found ", count, " operands"));
      }
      return true;
    case Opcode::kRng:  // old texts have the dimensions as a third one
      if (count >= 2) return true;
      break;
    case Opcode::kDynamicUpdateSlice:
      least = 2;
      break;
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicReshape:
    case Opcode::kConcatenate:
    case Opcode::kConditional:
    case Opcode::kSort:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kAsyncUpdate:
      least = 1;
      break;
    default:
      break;
  }
  if (info.arity >= 0 ? count == info.arity : count >= least) return true;
  const int64_t wanted = info.arity >= 0 ? info.arity : least;
  return Error(pending.opcode_offset,
               absl::StrCat(info.name, " takes ",
                            info.arity >= 0 ? "" : "at least ", wanted,
                            wanted == 1 ? " operand" : " operands", ", found ",
                            count));
}

Instruction* ModuleParser::Create(Pending* pending) {
  Scope* scope = pending->scope;
  if (!Expect(Tok::kLParen, "'(' behind the opcode")) return nullptr;
  Instruction* instruction = nullptr;
  if (pending->opcode == Opcode::kParameter ||
      pending->opcode == Opcode::kConstant) {
    if (!pending->has_type) {
      Error(pending->opcode_offset,
            absl::StrCat(OpcodeName(pending->opcode), " needs a type before "
                         "it"));
      return nullptr;
    }
    if (pending->is_operand) NameAnonymous(pending);
    if (pending->opcode == Opcode::kConstant) {
      instruction = CreateConstant(pending);
      if (instruction == nullptr) return nullptr;
    } else {
      int64_t number;
      if (!ParseParameterNumber(*pending, &number)) return nullptr;
      instruction = scope->computation->AddParameter(number, pending->type,
                                                     pending->name);
    }
    if (!Define(*pending, instruction)) return nullptr;
    if (!Expect(Tok::kRParen, "')'")) return nullptr;
  } else {
    if (!pending->unknown_opcode.empty()) return CreateUnknown(pending);
    if (!ParseOperands(pending)) return nullptr;
    if (pending->is_operand) NameAnonymous(pending);
    if (pending->async == AsyncPart::kStart) return CreateAsyncStart(pending);
    if (pending->async != AsyncPart::kNone) {
      return CreateAsyncFollower(pending);
    }
    if (!CheckOperandCount(*pending)) return nullptr;
    instruction = scope->computation->Add(pending->opcode, pending->type,
                                          pending->operands, pending->name);
    if (!Define(*pending, instruction)) return nullptr;
  }
  Attributes attributes;
  if (!pending->is_operand &&
      !ParseAttributes(pending->opcode, scope, instruction,
                       /*allow_async=*/false, &attributes)) {
    return nullptr;
  }
  for (Instruction* predecessor : attributes.control_predecessors) {
    instruction->AddControlPredecessor(predecessor);
  }
  if (!pending->is_operand) instruction_is_read_ = true;
  if (!attributes.unknown.empty()) StoreUnknown(instruction, attributes.unknown);
  if (!pending->old_opcode.empty()) {
    ApplyOldForm(*pending, instruction, &attributes);
  }
  if (!stand_ins_.empty()) FillStandIns(*instruction, *pending, attributes);
  if (!FinishInstruction(instruction, *pending, attributes)) return nullptr;
  return instruction;
}

}  // namespace hlokit::parse
